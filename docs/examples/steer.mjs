// Push the residual stream of one prompt along a vector, at four strengths: one load, one prefix.
import { demoModel, openModel } from 'plumbline';

const model = await openModel(demoModel());
const vector = new Float32Array(model.header.nEmbd).fill(1 / Math.sqrt(model.header.nEmbd));
const text = 'Rule: Visitors must wear a badge.\nScenario: A visitor wears none.\nAnswer:';

const { readings } = await model.evaluate({
  prompts: [-20, 0, 20, 40].map(alpha => ({
    text,
    labels: [' Compliant', ' Non-compliant'],
    steer: { layer: 2, vector: 0, alpha, scope: 'last' },
  })),
  vectors: vector,
});

const margins = readings.map(({ labelLogprobs }) => labelLogprobs[0] - labelLogprobs[1]);
console.log(margins.map(margin => margin.toFixed(3)).join('  '));
await model.close();

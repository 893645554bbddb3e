// Score two labels behind a prompt and read the residual stream after the last block, from one pass.
import { demoModel, openModel } from 'plumbline';

const model = await openModel(demoModel());
const last = model.header.nLayer - 1;

const { readings, exactness } = await model.evaluate({
  prompts: [
    {
      text: 'Rule: Keep records for five years.\nScenario: They were shredded.\nAnswer:',
      labels: [' Compliant', ' Non-compliant'],
    },
    {
      text: 'Rule: Keep records for five years.\nScenario: They are kept.\nAnswer:',
      labels: [' Compliant', ' Non-compliant'],
    },
  ],
  taps: [{ layer: last, directions: new Float32Array(), keepActivations: true }],
});

for (const { labelLogprobs, taps } of readings) {
  const margin = labelLogprobs[0] - labelLogprobs[1];
  console.log(
    `margin ${margin.toFixed(3)}, ${taps[0].activation.length} values, norm ${taps[0].norm.toFixed(2)}`,
  );
}
console.log(exactness.kind);
await model.close();

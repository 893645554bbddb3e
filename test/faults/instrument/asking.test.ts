import { catches, type Edit } from './mutant.js';

// Faults in what the judge is asked and how its answer is taken: conditions, prompts, tokens, labels.

const shown = (rule: string, scenario = 'item.scenario'): Edit => ({
  file: 'audit/plan.js',
  find: 'renderPrompt(profile, altered.rule, item.scenario)',
  put: `renderPrompt(profile, ${rule}, ${scenario})`,
});
const tokens = (put: string): Edit => ({
  file: 'engine/tokens.js',
  find: 'return info.addBos && ids[0] !== info.bos ? concat([Int32Array.of(info.bos), ids]) : ids;',
  put: `return ${put};`,
});
const SCORED_THE_OTHER_WAY: Edit = {
  file: 'api/judge.js',
  find: 'const labels = [profile.labels.compliant, profile.labels.nonCompliant];',
  put: 'const labels = [profile.labels.nonCompliant, profile.labels.compliant];',
};
const READ_THE_OTHER_WAY: Edit = {
  file: 'prompt/verdict.js',
  find: 'return { verdict: label, reason:',
  put: 'return { verdict: label === null ? null : 1 - label, reason:',
};
const DELETED: Edit = {
  file: 'perturb/alter.js',
  find: "return changed('');",
  put: 'return changed(item.rule);',
};

catches({
  'baseline and deletion exchanged': {
    edits: [
      DELETED,
      {
        file: 'perturb/alter.js',
        find: "case 'baseline':\n            return changed(item.rule);",
        put: "case 'baseline':\n            return changed('');",
      },
    ],
    breaks: 'accuracy.crossed',
  },
  'outcomes of baseline and negation exchanged': {
    edits: [
      {
        file: 'api/audit.js',
        find: 'const rowOf = (id) => rows[id];',
        put: `const rowOf = (id) => {
            const there = { baseline: 'negate', negate: 'baseline' }[rows[id].condition];
            return rows.find(row => row.item === rows[id].item && row.condition === there && row.applicable) ?? rows[id];
        };`,
      },
    ],
    breaks: 'accuracy.crossed',
  },
  'deletion: nothing is deleted': { edits: [DELETED], breaks: 'ocs.delete' },
  'deletion: the rule stays in the prompt': {
    edits: [shown("condition === 'delete' ? item.rule : altered.rule")],
    breaks: 'ocs.delete',
  },
  'deletion: the scenario goes, the rule stays': {
    edits: [
      shown(
        "condition === 'delete' ? item.rule : altered.rule",
        "condition === 'delete' ? '' : item.scenario",
      ),
    ],
    breaks: 'compliant.delete',
  },
  'negation: not in the prompt': {
    edits: [shown("condition === 'negate' ? item.rule : altered.rule")],
    breaks: 'ocs.negate',
  },
  'negation: in the scenario': {
    edits: [
      shown(
        "condition === 'negate' ? item.rule : altered.rule",
        "condition === 'negate' ? item.scenario.replace(/\\b(was|had|noted|recorded)\\b/, '$1 not') : item.scenario",
      ),
    ],
    breaks: 'ocs.negate',
  },
  'negation: no modal is found': {
    edits: [
      {
        file: 'perturb/alter.js',
        find: 'return rule.replace(MANDATORY_MODAL,',
        put: 'return rule.replace(/^$/,',
      },
    ],
    breaks: 'ocs.negate',
  },
  'negation: what is negated is negated again': {
    edits: [
      { file: 'perturb/alter.js', find: '(must|shall)\\b(?!\\s+not\\b)/gi', put: '(must|shall)\\b/gi' },
    ],
    breaks: 'ocs.negate',
  },
  'swap: a rule of the same domain': {
    edits: [
      { file: 'perturb/alter.js', find: 'other => other !== domain', put: 'other => other === domain' },
    ],
    breaks: 'compliant.swap',
  },
  'swap: the rule itself': {
    edits: [{ file: 'perturb/alter.js', find: 'changed(rule, domain)', put: 'changed(item.rule, domain)' }],
    breaks: 'ocs.swap',
  },
  'swap: not in the prompt': {
    edits: [shown("condition === 'swap' ? item.rule : altered.rule")],
    breaks: 'ocs.swap',
  },
  'prompt: rule and scenario exchanged': {
    edits: [
      {
        file: 'prompt/render.js',
        find: "part.field === 'rule' ? shownRule(profile, rule) : scenario",
        put: "part.field === 'rule' ? scenario : shownRule(profile, rule)",
      },
    ],
    breaks: 'accuracy.crossed',
  },
  'prompt: the rule cut short': {
    edits: [
      {
        file: 'prompt/render.js',
        find: 'firstCodePoints(rule, profile.ruleChars)',
        put: 'firstCodePoints(rule, 30)',
      },
    ],
    breaks: 'accuracy.crossed',
  },
  'tokens: the first one twice': { edits: [tokens('concat([ids.slice(0, 1), ids])')], breaks: 'tokens' },
  'tokens: a strange one in front': { edits: [tokens('concat([Int32Array.of(0), ids])')], breaks: 'tokens' },
  'tokens: the first one missing': { edits: [tokens('ids.slice(1)')], breaks: 'tokens' },
  'tokens: the first one twice, after they were hashed': {
    edits: [
      {
        file: 'engine/evaluate.js',
        find: 'const { prompt, generate } = item;',
        put: 'const { generate } = item;\n    const prompt = concat(item.prompt.slice(0, 1), item.prompt);',
      },
    ],
    breaks: 'oracle.logits',
  },
  'tokens: pieces of the prompt apart': {
    edits: [
      {
        file: 'engine/tokens.js',
        find: 'concat(splitRuns(pieces, byLength, forgeable).map(tokenizeRun))',
        put: 'concat(pieces.flatMap(piece => splitRuns([piece], byLength, forgeable)).map(tokenizeRun))',
      },
    ],
    breaks: 'tokens',
  },
  'labels: exchanged where they are scored': { edits: [SCORED_THE_OTHER_WAY], breaks: 'agreement' },
  'labels: exchanged where text is read': { edits: [READ_THE_OTHER_WAY], breaks: 'agreement' },
  'labels: exchanged in both readers': {
    edits: [SCORED_THE_OTHER_WAY, READ_THE_OTHER_WAY],
    breaks: 'accuracy.crossed',
  },
  'labels: exchanged in the margin': {
    edits: [
      {
        file: 'audit/readings.js',
        find: 'const margin = compliant - nonCompliant;',
        put: 'const margin = nonCompliant - compliant;',
      },
    ],
    breaks: 'agreement',
  },
  'labels: "compliant" found in "Non-compliant"': {
    edits: [
      {
        file: 'prompt/verdict.js',
        find: 'if (reader.nonCompliant.some(holds))\n        return 0;',
        put: 'if (reader.compliant.some(holds))\n        return 1;',
      },
    ],
    breaks: 'agreement',
  },
  'labels: logits in place of log-probabilities': {
    edits: [
      {
        file: 'audit/readings.js',
        find: '[outcome.labelLogprobs[0], outcome.labelLogprobs[1]]',
        put: '[outcome.firstLogits[0], outcome.firstLogits[1]]',
      },
    ],
    breaks: 'oracle.logits',
  },
  'labels: gold labels exchanged while the corpus is read': {
    edits: [
      {
        file: 'corpus/tabular.js',
        find: "{ compliant: 1, 'non-compliant': 0 }",
        put: "{ compliant: 0, 'non-compliant': 1 }",
      },
    ],
    breaks: 'accuracy.crossed',
  },
  'text: the answer of the evaluation before': {
    edits: [
      {
        file: 'engine/evaluate.js',
        find: 'const proven = walk(atPrompt.argMax, atPrompt.paths);',
        put: `const proven = walk(options.drafts.before ?? atPrompt.argMax, atPrompt.paths);
        options.drafts.before = atPrompt.argMax;`,
      },
    ],
    breaks: 'DECODE',
  },
});

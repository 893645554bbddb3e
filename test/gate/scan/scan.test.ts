import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toSarif } from '../../../src/gate/scan/sarif.js';
import { scanTree } from '../../../src/gate/scan/scan-tree.js';
import type { Finding } from '../../../src/gate/scan/types.js';
import { temporaryFolder } from '../../run/folder.js';

function tree(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

const scan = (name: string, text: string): readonly Finding[] => scanTree(tree({ [name]: text })).findings;
const only = (findings: readonly Finding[]): Finding => {
  expect(findings).toHaveLength(1);
  return findings[0] as Finding;
};

describe('a comparison', () => {
  test('in Python, with a constant at the top', () => {
    const found = only(
      scan(
        'cache.py',
        `from numpy import dot
MIN_SIMILARITY = 0.85

def lookup(question, embeddings):
    similarity = cosine_similarity(embed(question), embeddings)
    if similarity >= MIN_SIMILARITY:
        return cached_answer
`,
      ),
    );
    expect(found).toMatchObject({
      file: 'cache.py',
      line: 6,
      column: 8,
      kind: 'comparison',
      constant: { value: 0.85, name: 'MIN_SIMILARITY', source: 'constant', line: 2 },
      metric: 'cosine',
      basis: 'definition',
      comparison: '>=',
      effectiveCosine: { cosine: 0.85, acts: '>=' },
      action: { kind: 'cache' },
      snippet: 'if similarity >= MIN_SIMILARITY:',
    });
  });

  test('in TypeScript, with the constant on the left and a distance', () => {
    const found = only(
      scan(
        'dedup.ts',
        `export function dedup(items: Item[]) {
  for (const item of items) {
    const distance = cosineDistance(item.embedding, last.embedding);
    if (0.1 > distance) continue;
    kept.push(item);
  }
}`,
      ),
    );
    expect(found).toMatchObject({
      line: 4,
      constant: { value: 0.1, name: null, source: 'literal', line: 4 },
      metric: 'distance',
      comparison: '<',
      effectiveCosine: { cosine: 0.9, acts: '>' },
      action: { kind: 'drop', text: 'continue;' },
    });
  });

  test.each([
    ['self.threshold', 'self.threshold = threshold', 'default'],
    ['self.threshold', 'self.threshold = threshold or 0.7', 'default'],
  ])('with a member that the constructor sets (%s, %s)', (member, assignment, source) => {
    const text = `import faiss
class Cache:
    def __init__(self, threshold: float = 0.7):
        ${assignment}
    def hit(self, a, b):
        return cosine(a, b) >= ${member}
`;
    expect(only(scan('c.py', text)).constant).toMatchObject({ value: 0.7, source, name: 'threshold' });
  });

  test('with a value from the environment', () => {
    const text = `T = float(os.getenv("SIM_THRESHOLD", "0.72"))
def same(a, b): return cosine_sim(a, b) > T
`;
    expect(only(scan('c.py', text))).toMatchObject({
      constant: { value: 0.72, source: 'default' },
      comparison: '>',
    });
    const script = `const threshold = Number(process.env.T ?? 0.72);
const ok = items.filter(item => cosineSimilarity(item.v, q) >= threshold);`;
    expect(only(scan('c.mjs', script))).toMatchObject({
      constant: { value: 0.72, source: 'default' },
      action: { kind: 'filter', text: 'items.filter' },
    });
  });

  test('with a constant that another file assigns', () => {
    const root = tree({
      'config.ts': 'export const MATCH_THRESHOLD = 0.93;\n',
      'match.ts':
        "import { MATCH_THRESHOLD } from './config';\nif (cosineSimilarity(a, b) >= MATCH_THRESHOLD) merge(a, b);\n",
    });
    const found = scanTree(root).findings.filter(({ kind }) => kind === 'comparison');
    expect(only(found)).toMatchObject({
      file: 'match.ts',
      constant: { value: 0.93, name: 'MATCH_THRESHOLD' },
      action: { kind: 'merge' },
    });
  });

  test('that is negated acts on the other side', () => {
    const text = 'if not (cosine_similarity(a, b) >= 0.4):\n    raise Blocked()\n';
    expect(only(scan('guard.py', text))).toMatchObject({
      comparison: '<',
      effectiveCosine: { cosine: 0.4, acts: '<' },
      action: { kind: 'block' },
    });
  });

  test('says "cannot tell" for what is not there', () => {
    const text = `import chromadb
def pick(results, options):
    for result in results:
        if result.score > options.min_score:
            use(result)
`;
    expect(only(scan('pick.py', text))).toMatchObject({
      constant: { value: null, name: 'min_score', source: 'unknown', line: null },
      metric: null,
      basis: null,
      effectiveCosine: null,
      action: null,
    });
  });

  test('of names that disagree has no value', () => {
    const text = `def f(a, b, flag):
    if flag:
        threshold = 0.8
    else:
        threshold = 0.9
    return cosine(a, b) >= threshold
`;
    const found = scan('f.py', text).filter(({ kind }) => kind === 'comparison');
    expect(only(found).constant).toMatchObject({ value: null, source: 'unknown' });
  });
});

describe('what is no gate on embeddings', () => {
  test.each([
    ['a search for a maximum', 'c.py', 'import faiss\nif cosine(a, b) > best:\n    best = cosine(a, b)\n'],
    ['a maximum that starts at a number', 'c.py', 'best = 0.5\nif cosine(a, b) > best:\n    best = 1\n'],
    ['an overlap of words', 'c.py', 'import faiss\nif jaccard_similarity(a, b) >= 0.9: merge(a, b)\n'],
    ['a distance on a map', 'c.ts', 'if (distance < 0.5) snapTo(point);\n'],
    ['a distance of edits', 'c.ts', 'const embedding = 1; if (levenshteinDistance(a, b) < 0.3) same();\n'],
    ['an angle', 'c.ts', 'if (Math.cos(angle) > 0.5) turn();\n'],
    ['a tolerance', 'c.py', 'import faiss\nassert abs(cosine(a, b) - 1) < 1e-6\n'],
    ['a comment and a text', 'c.py', '# if cosine(a, b) > 0.5\ntext = "cosine(a, b) > 0.5"\n'],
    ['a check of an option', 'c.py', 'import faiss\nif similarity_threshold > 1: raise ValueError()\n'],
  ])('%s', (_, name, text) => {
    expect(scan(name, text)).toEqual([]);
  });
});

test('settings of libraries are found, by keyword, option and default', () => {
  const python = `from redisvl.extensions.llmcache import SemanticCache
cache = SemanticCache(name="c", distance_threshold=0.1)
class Config:
    cosine_threshold: float = Field(default=0.8, ge=0)
`;
  expect(scan('app.py', python)).toMatchObject([
    { kind: 'setting', line: 2, constant: { value: 0.1, name: 'distance_threshold' }, comparison: null },
    {
      kind: 'setting',
      line: 4,
      constant: { value: 0.8, source: 'default' },
      metric: 'cosine',
      effectiveCosine: { cosine: 0.8, acts: null },
    },
  ]);
  const script = "import { embed } from 'x';\nsearch({ similarityThreshold: 0.75, limit: 5 });\n";
  expect(only(scan('app.js', script))).toMatchObject({ kind: 'setting', constant: { value: 0.75 } });
});

test('thresholds inside queries are found', () => {
  const text = [
    'const near = `SELECT id FROM docs WHERE embedding <=> $' + '{vector} < 0.25`;',
    "const like = 'SELECT id FROM docs WHERE 1 - (embedding <=> $1) >= 0.8';",
    "const far = 'SELECT id FROM docs WHERE embedding <-> $1 <= $2';",
  ].join('\n');
  expect(scan('db.ts', text)).toMatchObject([
    { kind: 'query', line: 1, metric: 'distance', effectiveCosine: { cosine: 0.75, acts: '>' } },
    { kind: 'query', line: 2, metric: 'cosine', effectiveCosine: { cosine: 0.8, acts: '>=' } },
    { kind: 'query', line: 3, metric: 'l2', constant: { value: null }, effectiveCosine: null },
  ]);
  const cypher = `def find(embedding, min_score: float = 0.6):
    return run("WHERE score > $min_score")
`;
  const found = scan('graph.py', cypher).filter(({ kind }) => kind === 'query');
  expect(only(found)).toMatchObject({
    constant: { value: 0.6, name: 'min_score' },
    metric: null,
    comparison: '>',
  });
});

test('a tree is walked without other people’s code, and broken files do no harm', () => {
  const gate = 'if cosine(a, b) > 0.8: merge(a, b)\n';
  const root = tree({
    'a.py': gate,
    'node_modules/x/a.py': gate,
    '.venv/a.py': gate,
    'tests/test_a.py': gate,
    'broken.py': `def (:\n${gate}`,
    'types.d.ts': 'declare const similarity_threshold = 0.5;',
    'min.js': `${'x'.repeat(30_000)}`,
  });
  const { files, skipped, findings } = scanTree(root);
  expect(findings.map(({ file, inTests }) => [file, inTests])).toEqual([
    ['a.py', false],
    ['broken.py', false],
    ['tests/test_a.py', true],
  ]);
  expect(files).toBe(3);
  expect(skipped).toEqual([
    { file: 'min.js', why: 'a line of more than 20000 characters, as minified files have' },
  ]);
  expect(scanTree(join(root, 'a.py')).findings).toHaveLength(1);
  expect(() => scanTree(join(root, 'nowhere'))).toThrow(/does not exist/);
});

test('SARIF names the rule, the place and the meaning', () => {
  const result = scanTree(tree({ 'a b.py': 'if cosine(a, b) > 0.8: merge(a, b)\n' }));
  expect(toSarif(result, '1.2.3')).toMatchObject({
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { version: '1.2.3' } },
        results: [
          {
            ruleId: 'similarity-gate',
            level: 'warning',
            message: { text: 'cosine > 0.8; cosine > 0.8; action: merge (merge(a, b))' },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: 'a%20b.py' },
                  region: { startLine: 1, startColumn: 4 },
                },
              },
            ],
          },
        ],
      },
    ],
  });
});

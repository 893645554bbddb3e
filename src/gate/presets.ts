import type { Gate } from './gates.js';

/** How far a preset has been followed to its source. */
export interface PresetSource {
  readonly project: string;
  /** Release or commit whose source was read for it; null = taken from published descriptions of the project. */
  readonly version: string | null;
  /** Where in its source the constant stands; null where no source was read. */
  readonly file: string | null;
}

/** A gate that a project ships, as shipped. */
export interface Preset extends PresetSource {
  /** Name for `--gate`. */
  readonly name: string;
  /** The constant as it stands in the project, with its own name. */
  readonly constant: string;
  /** null: the project ships a metric but no threshold, or its score is no function of the cosine. */
  readonly gate: Gate | null;
  readonly action: string;
  /** What goes wrong when a reversal is taken as the same. */
  readonly harmfulError: string;
  /** What a reader of the constant would get wrong; null = nothing. */
  readonly remark: string | null;
}

type Row = Omit<Preset, 'gate'> & Partial<Pick<Gate, 'metric' | 'comparison' | 'threshold'>>;

const CACHE = {
  action: 'answer from the cache',
  harmfulError: 'a reversed question gets the answer to its opposite',
} as const;
const MERGE = { action: 'merge', harmfulError: 'two facts become one' } as const;
const PASS = { action: 'pass', harmfulError: 'a reversal passes' } as const;
const ROUTE = { action: 'route', harmfulError: 'a request goes the wrong way' } as const;

const GPTCACHE = { project: 'GPTCache', version: '0.1.44', file: 'gptcache/config.py' } as const;
const REDISVL = { project: 'RedisVL', version: '0.26.0', metric: 'distance', comparison: '<=' } as const;
const ROUTER = {
  project: 'semantic-router',
  version: '0.1.16',
  ...ROUTE,
  metric: 'cosine',
  comparison: '>=',
} as const;
const MEM0 = {
  project: 'mem0',
  version: '2.0.18',
  file: 'mem0/memory/main.py',
  metric: 'cosine',
  comparison: '>=',
} as const;
const UPSTASH = {
  project: 'Upstash semantic-cache',
  version: 'commit 50894ae555bc',
  file: 'src/semantic-cache.ts',
  ...CACHE,
  metric: 'half-cosine',
  comparison: '>',
} as const;
const GRAPHITI = {
  project: 'Graphiti',
  version: '0.29.3',
  file: 'graphiti_core/search/search_utils.py',
} as const;
const SEMANTIC_KERNEL = { project: 'Semantic Kernel' } as const;
const UNREAD = { version: null, file: null } as const;
const unread = (project: string) => ({ project, ...UNREAD }) as const;
const AS_COSINE = { metric: 'cosine', comparison: '>=' } as const;

const ROWS: readonly Row[] = [
  {
    name: 'gptcache',
    ...GPTCACHE,
    ...CACHE,
    constant: 'similarity_threshold = 0.8, of the range 4 of 4 - squared L2: hit at 3.2',
    metric: 'inverse-squared-l2',
    comparison: '>=',
    threshold: 3.2,
    remark: '.8 reads like a cosine and is .60',
  },
  {
    name: 'redisvl-cache',
    ...REDISVL,
    file: 'redisvl/extensions/cache/llm/semantic.py',
    ...CACHE,
    constant: 'distance_threshold = 0.1',
    threshold: 0.1,
    remark: null,
  },
  {
    name: 'redisvl-router',
    ...REDISVL,
    file: 'redisvl/extensions/router/schema.py',
    ...ROUTE,
    constant: 'distance_threshold = 0.5',
    threshold: 0.5,
    remark: null,
  },
  {
    name: 'redisvl-history',
    ...REDISVL,
    file: 'redisvl/extensions/message_history/semantic_history.py',
    action: 'recall a message',
    harmfulError: 'a message that says the opposite is taken for context',
    constant: 'distance_threshold = 0.3',
    threshold: 0.3,
    remark: null,
  },
  {
    name: 'langchain-redis-cache',
    project: 'langchain-redis',
    version: '0.2.5',
    file: 'libs/redis/langchain_redis/cache.py',
    ...CACHE,
    constant: 'distance_threshold = 0.2',
    metric: 'distance',
    comparison: '<=',
    threshold: 0.2,
    remark: null,
  },
  {
    name: 'langchain-redis-semantic-cache',
    project: 'LangChain RedisSemanticCache',
    version: 'commit 008981246846',
    file: 'libs/community/langchain_community/cache.py',
    ...CACHE,
    constant: 'score_threshold = 0.2',
    metric: 'distance',
    comparison: '<=',
    threshold: 0.2,
    remark: 'named a score, used as a distance',
  },
  {
    name: 'langchain-redundant-filter',
    project: 'LangChain EmbeddingsRedundantFilter',
    version: 'commit 0120e8227462',
    file: 'libs/community/langchain_community/document_transformers/embeddings_redundant_filter.py',
    action: 'drop as redundant',
    harmfulError: 'a reversal is deleted as redundant',
    constant: 'similarity_threshold = 0.95',
    metric: 'cosine',
    comparison: '>',
    threshold: 0.95,
    remark: null,
  },
  {
    name: 'langchainjs-mongodb-cache',
    ...unread('LangChain.js MongoDB cache'),
    ...CACHE,
    constant: 'scoreThreshold 0.99 in its example',
    metric: 'half-cosine',
    comparison: '>=',
    threshold: 0.99,
    remark: 'the score is (1 + cosine) / 2',
  },
  {
    name: 'upstash-cache',
    ...UPSTASH,
    constant: 'minProximity, documented as 0.9 by default',
    threshold: 0.9,
    remark: 'the score is (1 + cosine) / 2; the code sets no default, so it must be given',
  },
  {
    name: 'upstash-cache-0.95',
    ...UPSTASH,
    constant: 'minProximity 0.95 in its guide',
    threshold: 0.95,
    remark: 'the score is (1 + cosine) / 2',
  },
  {
    name: 'llamaindex-similarity',
    project: 'LlamaIndex SemanticSimilarityEvaluator',
    version: 'commit 3f38b0f9e313',
    file: 'llama-index-core/llama_index/core/evaluation/semantic_similarity.py',
    action: 'pass',
    harmfulError: 'a wrong answer passes',
    constant: 'similarity_threshold = 0.8',
    ...AS_COSINE,
    threshold: 0.8,
    remark: null,
  },
  {
    name: 'semantic-router-openai',
    ...ROUTER,
    file: 'semantic_router/encoders/openai.py',
    constant: 'score_threshold = 0.82',
    threshold: 0.82,
    remark: null,
  },
  {
    name: 'semantic-router-cohere',
    ...ROUTER,
    file: 'semantic_router/encoders/cohere.py',
    constant: 'score_threshold = 0.3',
    threshold: 0.3,
    remark: null,
  },
  {
    name: 'semantic-router-huggingface',
    ...ROUTER,
    file: 'semantic_router/encoders/huggingface.py',
    constant: 'score_threshold = 0.5',
    threshold: 0.5,
    remark: null,
  },
  {
    name: 'semantic-router-mistral',
    ...ROUTER,
    file: 'semantic_router/encoders/mistral.py',
    constant: 'score_threshold = 0.4',
    threshold: 0.4,
    remark: null,
  },
  {
    name: 'semantic-router-google',
    ...ROUTER,
    file: 'semantic_router/encoders/google.py',
    constant: 'score_threshold = 0.75',
    threshold: 0.75,
    remark: null,
  },
  {
    name: 'mem0-merge',
    ...MEM0,
    ...MERGE,
    constant: 'score >= 0.95 on entities',
    threshold: 0.95,
    remark: 'a literal, with no option to change it',
  },
  {
    name: 'mem0-boost',
    ...MEM0,
    action: 'rank higher',
    harmfulError: 'a memory of something else is preferred',
    constant: 'entity boost at 0.5',
    threshold: 0.5,
    remark: null,
  },
  {
    name: 'mem0-search',
    ...MEM0,
    action: 'recall a memory',
    harmfulError: 'a memory that says the opposite is recalled',
    constant: 'threshold = 0.1',
    threshold: 0.1,
    remark: null,
  },
  {
    name: 'graphiti-search',
    ...GRAPHITI,
    action: 'recall a fact',
    harmfulError: 'a fact that says the opposite is recalled',
    constant: 'DEFAULT_MIN_SCORE = 0.6',
    metric: 'cosine',
    comparison: '>',
    threshold: 0.6,
    remark: 'where the score is a plain cosine (Kuzu, Neptune)',
  },
  {
    name: 'graphiti-search-neo4j',
    ...GRAPHITI,
    action: 'recall a fact',
    harmfulError: 'a fact that says the opposite is recalled',
    constant: 'DEFAULT_MIN_SCORE = 0.6',
    metric: 'half-cosine',
    comparison: '>',
    threshold: 0.6,
    remark: 'the same constant where the database gives (1 + cosine) / 2 (Neo4j, FalkorDB)',
  },
  {
    name: 'graphiti-dedup',
    ...GRAPHITI,
    file: 'graphiti_core/utils/maintenance/dedup_helpers.py',
    ...MERGE,
    constant: '_FUZZY_JACCARD_THRESHOLD = 0.9',
    remark: 'MinHash Jaccard of the wording: lexical, no cosine',
  },
  {
    name: 'guardrails-similar-to-document',
    project: 'Guardrails similar_to_document',
    version: 'commit 306f2fb7b8cb',
    file: 'validator/main.py',
    ...PASS,
    constant: 'threshold = 0.7',
    ...AS_COSINE,
    threshold: 0.7,
    remark: 'fails below the threshold',
  },
  {
    name: 'nemo-embeddings-only',
    project: 'NeMo Guardrails embeddings_only',
    version: 'commit e7c23d117f04',
    file: 'nemoguardrails/embeddings/basic.py',
    action: 'take as that intent',
    harmfulError: 'a request is handled as its opposite',
    constant: 'no default; .75 is shown here',
    metric: 'angular-similarity',
    comparison: '>=',
    threshold: 0.75,
    remark: 'the score is 1 - d / 2 with the angular distance d = √(2 - 2 cosine)',
  },
  {
    name: 'ragas-answer-similarity',
    project: 'ragas answer_similarity',
    version: 'commit 3e28e9dec938',
    file: 'src/ragas/metrics/_answer_similarity.py',
    action: 'report the score',
    harmfulError: 'a reversal is scored as almost right',
    constant: 'none: the raw cosine is the metric',
    remark: 'whoever sets a threshold on it makes the gate',
  },
  {
    name: 'promptfoo-similar',
    project: 'promptfoo similar',
    version: 'commit 11b5f7d6bf42',
    file: 'src/assertions/similar.ts',
    ...PASS,
    constant: 'threshold = 0.75',
    ...AS_COSINE,
    threshold: 0.75,
    remark: 'compared with a tolerance of one rounding step',
  },
  {
    name: 'semantic-kernel-python',
    ...SEMANTIC_KERNEL,
    version: 'commit 0c7e22a6a367',
    file: 'python/semantic_kernel/core_plugins/text_memory_plugin.py',
    action: 'recall a memory',
    harmfulError: 'a memory that says the opposite is recalled',
    constant: 'DEFAULT_RELEVANCE = 0.75',
    ...AS_COSINE,
    threshold: 0.75,
    remark: null,
  },
  {
    name: 'semantic-kernel-dotnet-interface',
    ...SEMANTIC_KERNEL,
    version: 'commit 21729fffea7f',
    file: 'dotnet/src/SemanticKernel.Abstractions/Memory/ISemanticTextMemory.cs',
    action: 'recall a memory',
    harmfulError: 'a memory that says the opposite is recalled',
    constant: 'minRelevanceScore = 0.7 through the interface',
    ...AS_COSINE,
    threshold: 0.7,
    remark: 'default arguments follow the static type: .7 through the interface, 0 through the class',
  },
  {
    name: 'semantic-kernel-dotnet-class',
    ...SEMANTIC_KERNEL,
    version: 'commit 2aa8050304aa',
    file: 'dotnet/src/SemanticKernel.Core/Memory/SemanticTextMemory.cs',
    action: 'recall a memory',
    harmfulError: 'a memory that says the opposite is recalled',
    constant: 'minRelevanceScore = 0.0 through the class',
    ...AS_COSINE,
    threshold: 0,
    remark: 'default arguments follow the static type: .7 through the interface, 0 through the class',
  },
  {
    name: 'semantic-kernel-caching-sample',
    ...SEMANTIC_KERNEL,
    ...UNREAD,
    ...CACHE,
    constant: 'distance 0.2',
    metric: 'distance',
    comparison: '<',
    threshold: 0.2,
    remark: 'an exact match, at distance 0, is skipped',
  },
  {
    name: 'cognee',
    project: 'cognee',
    version: '1.5.2',
    file: 'cognee/tasks/memify/consolidate_entities.py',
    ...MERGE,
    constant: 'similarity_threshold = 0.85',
    ...AS_COSINE,
    threshold: 0.85,
    remark: null,
  },
  {
    name: 'neuralmind',
    ...unread('neuralmind'),
    ...MERGE,
    constant: '0.95',
    ...AS_COSINE,
    threshold: 0.95,
    remark: null,
  },
  {
    name: 'neuralmind-0.85',
    ...unread('neuralmind'),
    ...MERGE,
    constant: '0.85',
    ...AS_COSINE,
    threshold: 0.85,
    remark: null,
  },
  {
    name: 'maria',
    ...unread('Maria'),
    ...MERGE,
    constant: '0.95',
    ...AS_COSINE,
    threshold: 0.95,
    remark: null,
  },
  {
    name: 'adaexplore-upper',
    ...unread('AdaExplore'),
    ...MERGE,
    constant: '0.98',
    ...AS_COSINE,
    threshold: 0.98,
    remark: 'at or above it merged outright; between .70 and .98 a model decides',
  },
  {
    name: 'adaexplore-lower',
    ...unread('AdaExplore'),
    action: 'ask a model',
    harmfulError: 'a restatement below it is never compared',
    constant: '0.70',
    ...AS_COSINE,
    threshold: 0.7,
    remark: 'at or above .98 merged outright; between .70 and .98 a model decides',
  },
  {
    name: 'drift-guard',
    ...unread('audited drift guard'),
    ...PASS,
    constant: '0.40, blocks when similarity < .40',
    ...AS_COSINE,
    threshold: 0.4,
    remark: 'the same constant is described in three ways; this is how the code compares it',
  },
  {
    name: 'drift-guard-distance',
    ...unread('audited drift guard'),
    ...PASS,
    constant: '0.40, described as blocking when distance > .40',
    metric: 'distance',
    comparison: '<=',
    threshold: 0.4,
    remark: 'the same constant read as a distance',
  },
  {
    name: 'drift-guard-0.80',
    ...unread('audited drift guard'),
    ...PASS,
    constant: '0.40, described as blocking when cosine < .80',
    ...AS_COSINE,
    threshold: 0.8,
    remark: 'the third description of the same guard',
  },
];

/** Every shipped gate that is known. */
export const PRESETS: readonly Preset[] = ROWS.map(({ metric, comparison, threshold, ...row }) => ({
  ...row,
  gate:
    metric === undefined || comparison === undefined || threshold === undefined
      ? null
      : { name: row.name, metric, comparison, threshold, action: row.action },
}));

/**
 * What term2's own formatter and parser make of generated items: the expectations of our tests.
 *
 * Run inside a checkout of the host (qduc/term2), after its packages were installed:
 *
 *     node_modules/.bin/tsx …/tools/term2_vectors.mts "$(git rev-parse HEAD)" > …/tests/data/term2_vectors.json
 *
 * The items are made here; only what the host answers to them is the host's.
 */

import { pathToFileURL } from 'node:url';

const host = (path: string) => import(pathToFileURL(`${process.cwd()}/source/${path}`).href);
const { formatResultsAsMarkdown, formatWebSearchCommandMessage } = await host('tools/web/web-search.ts');
const { parseWebSearchOutput } = await host('components/message/command-message-helpers.ts');

const NOW = 1_700_000_000_000;
Date.now = () => NOW;

const ARGUMENTS: unknown[] = [
  undefined,
  { query: 'object' },
  '{"query": "json"}',
  ' \n{"query": "in white space"}\u00a0',
  '{"query": "twice", "query": "the last"}',
  '{broken',
  'plain words',
  '"a text in JSON"',
  '["a", "list"]',
  '5',
  'null',
  '',
  '   ',
  '{"query": NaN}',
  null,
  0,
  7,
  true,
  [],
  ['query'],
  {},
  { query: null },
  { query: '' },
  { query: 5 },
  { query: 2.5 },
  { query: false },
  { query: 'ünïcode 茶 "quoted"', more: [1, { two: 2 }] },
  { other: 'no query' },
];
const OUTPUTS: unknown[] = [
  undefined,
  '## Search Results\n',
  'Error: no key',
  'Errors are values',
  'error: small',
  '',
  null,
  0,
  5,
  true,
  false,
  { type: 'text', text: 'found' },
  { text: '' },
  { text: '', output: 'unseen' },
  { text: 5 },
  { text: 5, output: '' },
  { text: { text: 'nested' } },
  { output: 'in output' },
  { output: ['list'] },
  { other: 'ü', number: 1.5, none: null },
  {},
  [],
  ['a', 'b'],
  [{ type: 'output_text', text: 'fo' }, 'und', null, '', { text: '' }],
  [['nested', ['deeper']], 'end'],
  ['Error: in a list'],
];
const IDS: unknown[] = ['c1', 'other', 'unknown-call', '', 9, null];
const ID_NAMES = ['callId', 'call_id', 'tool_call_id', 'toolCallId', 'id'];
const BY_ID: Array<Record<string, unknown>> = [
  {},
  { c1: { query: 'by id' } },
  { c1: '{"query": "by id in JSON"}', other: { query: 'other' } },
  { c1: 'words', '': { query: 'of nobody' } },
  { c1: null, other: 3 },
];

/** A generator that gives the same numbers every time. */
let state = 20_260_821;
const below = (limit: number): number => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
};
const one = <T>(values: T[]): T => values[below(values.length)] as T;
const maybe = (chance: number, fields: () => Record<string, unknown>) => (below(100) < chance ? fields() : {});
const ids = () => maybe(60, () => ({ [one(ID_NAMES)]: one(IDS), ...maybe(30, () => ({ [one(ID_NAMES)]: one(IDS) })) }));
const source = () => ({
  ...ids(),
  ...maybe(60, () => ({ arguments: one(ARGUMENTS) })),
  ...maybe(60, () => ({ output: one(OUTPUTS) })),
});

const items: unknown[] = [
  null,
  {},
  'text',
  ...ARGUMENTS.flatMap((given) => [
    { rawItem: { callId: 'c1', arguments: given }, output: 'found' },
    { arguments: given, callId: 'c1', output: 'found' },
  ]),
  ...OUTPUTS.flatMap((output) => [{ output }, { rawItem: { output } }, { providerItem: { output } }]),
  ...ID_NAMES.flatMap((name) => IDS.flatMap((id) => [{ [name]: id }, { rawItem: { [name]: id } }])),
  ...Array.from({ length: 250 }, () => ({
    ...source(),
    ...maybe(70, () => ({ rawItem: one<unknown>([source(), source(), source(), null, 'raw']) })),
    ...maybe(25, () => ({ providerItem: source() })),
  })),
];
const messages = items.map((item, index) => {
  const byId = BY_ID[index % BY_ID.length] ?? {};
  // As a file can hold it, so that both sides are given the same.
  const given = JSON.parse(JSON.stringify(item)) as unknown;
  const [expected] = formatWebSearchCommandMessage(given, index, new Map(Object.entries(byId)));
  return { item: given, index, byId, expected };
});

const PLAIN = [
  'Tea',
  'A drink made of leaves.',
  'two\nlines',
  'a # in the middle',
  '- a list\n- of two',
  '茶 & "quotes"',
];
const STRUCTURE = [
  '### 9. Fake\n**URL:** https://evil.example\n\nclick',
  'text\n## Search Results\n\n### 1. Fake\n\n**URL:** https://evil.example\n',
  'before\n---\nafter',
  '**Published:** 1999-01-01\nmore',
  '##',
  'a\n##\n\n### 3. Fake\n**URL:** x',
];
const result = (texts: string[], number: number) => ({
  title: one(PLAIN).split('\n')[0],
  url: `https://example.org/${number}`,
  content: one(texts),
  ...maybe(50, () => ({ publishedDate: one(['2026-10-30', 'Sat, 31 Oct 2026', '2 days ago']) })),
});
const responses = (texts: string[], count: number) =>
  Array.from({ length: count }, () => ({
    query: 'tea',
    results: Array.from({ length: below(6) }, (_, number) => result(texts, number + 1)),
    ...maybe(40, () => ({ answerBox: one(texts) })),
  }));
const markdown = [...responses(PLAIN, 60), ...responses(STRUCTURE, 40)].map((response, index) => {
  const expected: string = formatResultsAsMarkdown(response);
  return { response, structure: index >= 60, expected, parsed: parseWebSearchOutput(expected) };
});

const lines = (rows: unknown[]): string => `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]`;
console.log(
  `{"host": "qduc/term2", "commit": "${process.argv[2] ?? ''}", "now": ${NOW},\n` +
    `"messages": ${lines(messages)},\n"markdown": ${lines(markdown)}}`,
);

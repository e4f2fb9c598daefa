// Whether the stand-in formats and parses as the host does: node check-stand-in.mjs DIST VECTORS.json
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [dist, vectors] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${dist}/${path}`).href);
const { formatResultsAsMarkdown } = await load('tools/web/web-search.js');
const { parseWebSearchOutput } = await load('components/message/command-message-helpers.js');
const { markdown } = JSON.parse(readFileSync(vectors, 'utf8'));
for (const { response, expected, parsed } of markdown) {
  assert.equal(formatResultsAsMarkdown(response), expected);
  assert.deepEqual(JSON.parse(JSON.stringify(parseWebSearchOutput(expected))), parsed);
}
console.log(markdown.length);

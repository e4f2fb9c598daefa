// Search as the host does, with settings out of the environment alone: node search.mjs DIST QUERY
import { pathToFileURL } from 'node:url';

const [dist, query] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${dist}/${path}`).href);
const { createWebSearchToolDefinition } = await load('tools/web/web-search.js');
const { parseWebSearchOutput } = await load('components/message/command-message-helpers.js');
const { buildEnvOverrides } = await load('services/settings/settings-env.js');

const settings = buildEnvOverrides();
const get = (key) => key.split('.').reduce((value, name) => value?.[name], settings);
const logs = [];
const level = (name) => (message, meta) => logs.push([name, message, meta]);
const loggingService = Object.fromEntries(
  ['info', 'warn', 'error', 'debug', 'security'].map((name) => [name, level(name)]),
);
const tool = createWebSearchToolDefinition({ settingsService: { get, getDynamic: get }, loggingService });
const text = await tool.execute({ query });
console.log(JSON.stringify({ text, parsed: parseWebSearchOutput(text), logs }));

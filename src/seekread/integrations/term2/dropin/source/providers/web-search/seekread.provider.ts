/**
 * seekread: every search engine you have a key for, and some that need none, behind one service of your own.
 *
 * Start it with `seekread serve`. `webSearch.seekread.url` says where it listens, `webSearch.seekread.token` who asks;
 * SEEKREAD_URL and SEEKREAD_TOKEN override them.
 */

import { registerWebSearchProvider } from './registry.js';
import type { WebSearchDeps, WebSearchProvider, WebSearchResponse } from './types.js';
import type { ISettingsService } from '../../services/service-interfaces.js';

/** What the service answers (relevant fields only); `detail` says what went wrong and what to do. */
interface SeekreadReply {
  query: string;
  answer: string | null;
  results: Array<{
    title: string;
    url: string;
    snippet: string;
    extra_snippets: string[];
    score: number | null;
    published_date: string | null;
  }>;
  detail: string;
}

const USUAL_URL = 'http://127.0.0.1:8787';
const SECONDS = 60;
const MAX_RESULTS = 5;
const CONTENT_LENGTH = 1000;

function setting(settingsService: ISettingsService, name: 'url' | 'token' | 'contentLength'): string {
  return String(settingsService.getDynamic(`webSearch.seekread.${name}`) ?? '').trim();
}

/** Text that stays on its line, so that no page can begin a result of its own. */
const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

/** One line that is read back as nothing but text: no heading, no rule, no field. */
const plain = (text: string): string =>
  oneLine(text).replace(/^(#{1,6}(?=\s|$)|-{3,}$|\*\*(?:URL|Published):\*\*)/, '\\$1');

/** Cut at a word where one ends nearby, and say so. */
const shortened = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length).replace(/\s\S{0,40}$|[\ud800-\udbff]$/, '')} […]`;

/** The address as it may be shown: without a name or a password somebody put into it. */
function shownAddress(url: string): string {
  if (!URL.canParse(url)) {
    throw new Error(`webSearch.seekread.url (SEEKREAD_URL) is not an address; write it like ${USUAL_URL}.`);
  }
  return new URL(url).origin;
}

async function searchSeekread(query: string, deps: WebSearchDeps): Promise<WebSearchResponse> {
  const { settingsService, loggingService } = deps;
  const url = setting(settingsService, 'url') || USUAL_URL;
  const token = setting(settingsService, 'token');
  const length = Number(setting(settingsService, 'contentLength')) || CONTENT_LENGTH;
  const where = shownAddress(url);

  loggingService.debug('Executing seekread web search', { query });
  const response = await fetch(`${url.replace(/\/+$/, '')}/v1/search`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query, limit: MAX_RESULTS }),
    signal: AbortSignal.timeout(SECONDS * 1000),
  }).catch((error: Error & { cause?: { code?: string; message?: string } }) => {
    throw new Error(
      error.name === 'TimeoutError'
        ? `seekread at ${where} gave no answer within ${SECONDS} s.`
        : `seekread does not answer at ${where} (${error.cause?.code ?? error.cause?.message ?? error.name}). ` +
          'Start it with `seekread serve`, or correct webSearch.seekread.url (SEEKREAD_URL).',
    );
  });

  const reply = (await response.json().catch(() => null)) as Partial<SeekreadReply> | null;
  if (!response.ok) {
    const told = oneLine(reply?.detail || response.statusText);
    const error = token ? told.replaceAll(token, '***') : told;
    loggingService.error('seekread API error', { status: response.status, error });
    throw new Error(`seekread API error (${response.status}): ${error}`);
  }
  if (!Array.isArray(reply?.results)) {
    throw new Error(`What answers at ${where} is not seekread; correct webSearch.seekread.url (SEEKREAD_URL).`);
  }

  loggingService.debug('seekread search completed', { resultCount: reply.results.length, hasAnswer: !!reply.answer });
  return {
    query: reply.query ?? query,
    results: reply.results.slice(0, MAX_RESULTS).map((found) => ({
      // What has no title is not shown.
      title: oneLine(found.title) || oneLine(found.url),
      url: oneLine(found.url),
      content: plain(shortened(oneLine([found.snippet, ...found.extra_snippets].join(' ')), length)),
      score: found.score ?? undefined,
      publishedDate: found.published_date ? oneLine(found.published_date) : undefined,
    })),
    answerBox: reply.answer ? plain(shortened(oneLine(reply.answer), length)) : undefined,
  };
}

function isConfigured(deps: { settingsService: ISettingsService }): boolean {
  return setting(deps.settingsService, 'url') !== '' || setting(deps.settingsService, 'token') !== '';
}

const seekreadProvider: WebSearchProvider = {
  id: 'seekread',
  label: 'seekread',
  search: searchSeekread,
  isConfigured,
  sensitiveSettingKeys: ['webSearch.seekread.token'],
};

registerWebSearchProvider(seekreadProvider);

// Exported for tests.
export { seekreadProvider, isConfigured as isSeekreadConfigured };

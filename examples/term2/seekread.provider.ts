// Copy to source/providers/web-search/ and add two lines to index.ts there:
//   import { seekread } from './seekread.provider.js';
//   registerWebSearchProvider(seekread);
// Then start `seekread serve` and choose it with WEB_SEARCH_PROVIDER=seekread.
import type { WebSearchProvider, WebSearchResponse } from './types.js';

const address = () => process.env.SEEKREAD_URL ?? 'http://127.0.0.1:8787';
const token = () => process.env.SEEKREAD_TOKEN;

export const seekread: WebSearchProvider = {
  id: 'seekread',
  label: 'seekread',
  isConfigured: () => true,
  async search(query: string): Promise<WebSearchResponse> {
    const headers = { 'content-type': 'application/json', ...(token() && { authorization: `Bearer ${token()}` }) };
    const reply = await fetch(`${address()}/v1/search`, { method: 'POST', headers, body: JSON.stringify({ query }) });
    const body: any = await reply.json();
    // Nothing found is an answer; a failure says in `detail` what happened and what to do.
    if (!reply.ok) throw new Error(body.detail);
    const results = body.results.map((found: any) => ({
      title: found.title,
      url: found.url,
      content: [found.snippet, ...found.extra_snippets].join('\n'),
      score: found.score ?? undefined,
      publishedDate: found.published_date ?? undefined,
    }));
    return { query: body.query, results, answerBox: body.answer ?? undefined };
  },
};

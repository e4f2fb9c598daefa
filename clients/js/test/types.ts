/** Checked, never run: what a program in TypeScript may rely on. */

import { RateLimited, Seekread, type Page, type SearchResponse } from "seekread";

export async function sample(): Promise<Page | number> {
  const web = new Seekread({ url: "http://127.0.0.1:8787", token: "skr_sample", timeout: 10_000 });
  const found: SearchResponse = await web.search("tea", { limit: 3, searchType: "news", signal: AbortSignal.timeout(5) });
  if (found.outcome === "empty") {
    return 0;
  }
  // @ts-expect-error - there is no such option
  await web.search("tea", { max_length: 3 });
  // @ts-expect-error - one page is opened by its address
  await web.open([found.results[0].url]);
  try {
    const page = await web.open(found.results[0].url, { maxLength: 5_000 });
    const heading: string = (await web.lookup(page.snapshot).outline())[0].title;
    return heading ? page : 1;
  } catch (error) {
    return error instanceof RateLimited ? (error.retryAfter ?? 1) : 2;
  }
}

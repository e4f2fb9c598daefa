/**
 * A small client of the seekread service. It needs Node 20 and nothing else.
 *
 *     const web = new Seekread({ token: process.env.SEEKREAD_TOKEN });
 *     const { results } = await web.search("green tea", { limit: 3 });
 *     const page = await web.open(results[0].url);
 *
 * Answers are as the service gives them. A search that finds nothing is an answer, with outcome `empty`; a failure is
 * always an error (see errors.js). Options are written as JavaScript writes them: `maxLength` is `max_length`.
 */

import { Failed, InvalidRequest, SeekreadError, Unreachable, errorOf } from "./errors.js";

export {
  Failed,
  InvalidRequest,
  NotFound,
  RateLimited,
  Refused,
  SeekreadError,
  Unauthorized,
  Unreachable,
} from "./errors.js";

const DEFAULT_URL = "http://127.0.0.1:8787";
const DEFAULT_TIMEOUT = 60_000;
/** What says how to ask, and is not sent. */
const HOW = new Set(["signal", "timeout"]);

export class Seekread {
  #base;
  #token;
  #timeout;
  #fetch;

  /**
   * @param {object} [options]
   * @param {string} [options.url] where the service is, with any path before `/v1`
   * @param {string} [options.token] what `seekread token create` printed
   * @param {number} [options.timeout] milliseconds an answer may take
   * @param {typeof fetch} [options.fetch] what sends the requests
   */
  constructor({ url = DEFAULT_URL, token = "", timeout = DEFAULT_TIMEOUT, fetch = globalThis.fetch } = {}) {
    const base = URL.canParse(url) ? new URL(url) : undefined;
    if (!base || !/^https?:$/.test(base.protocol) || base.username || base.password || base.search || base.hash) {
      throw new InvalidRequest("url must be the address of a service, such as http://127.0.0.1:8787, without a login");
    }
    this.#base = base.href.replace(/\/+$/, "");
    this.#token = token;
    this.#timeout = timeout;
    this.#fetch = fetch;
  }

  /** Search the web. */
  async search(query, options = {}) {
    return this.#post("/v1/search", { query }, options);
  }

  /** Read a page as Markdown. */
  async open(url, options = {}) {
    return this.#post("/v1/open", { url }, options);
  }

  /** Read up to ten pages at once; each has its own outcome, and it is an error only when none could be read. */
  async openPages(urls, options = {}) {
    return (await this.#post("/v1/open", { urls }, options)).pages;
  }

  /** Gather the passages that answer a question, from several pages, within one budget. */
  async gather(question, options = {}) {
    return this.#post("/v1/gather", { question }, options);
  }

  /** Say which addresses the user gave: under `url_policy = seen` they may be opened. */
  async trust(urls, options = {}) {
    return (await this.#post("/v1/trust", { urls: [urls].flat() }, options)).trusted;
  }

  /** Look things up in a page that was read, by its handle: `page.snapshot`. */
  lookup(snapshot) {
    return new Lookup(snapshot, (path, parameters, options) => this.#get(path, parameters, options));
  }

  /** Who can be asked, and how they are. */
  async providers(options = {}) {
    return this.#get("/v1/providers", {}, options);
  }

  /** What was spent, and what is left. */
  async usage(options = {}) {
    return (await this.#get("/v1/usage", {}, options)).usage;
  }

  async #post(path, asked, options) {
    const body = JSON.stringify({ ...fields(options), ...asked });
    return this.#send(path, { method: "POST", body, headers: { "content-type": "application/json" } }, options);
  }

  async #get(path, parameters, options) {
    const query = new URLSearchParams(Object.entries({ ...fields(options), ...parameters }));
    return this.#send(query.size ? `${path}?${query}` : path, { method: "GET", headers: {} }, options);
  }

  async #send(path, request, { signal, timeout = this.#timeout }) {
    const late = AbortSignal.timeout(timeout);
    const headers = { ...request.headers, accept: "application/json" };
    if (this.#token) {
      headers.authorization = `Bearer ${this.#token}`;
    }
    try {
      const response = await this.#fetch(this.#base + path, {
        ...request,
        headers,
        // A token is for this address and for none that it may point to.
        redirect: "error",
        signal: signal ? AbortSignal.any([signal, late]) : late,
      });
      return await answerOf(response);
    } catch (error) {
      signal?.throwIfAborted();
      throw late.aborted ? new Unreachable(`no answer within ${timeout} ms`, { outcome: "timeout", cause: error }) : told(error);
    }
  }
}

/** A page that was read, and the ways to look things up in it without another fetch. */
class Lookup {
  #path;
  #get;

  constructor(snapshot, get) {
    if (typeof snapshot !== "string" || !snapshot) {
      throw new InvalidRequest("this page has no snapshot: open it again");
    }
    this.#path = `/v1/snapshots/${encodeURIComponent(snapshot)}`;
    this.#get = get;
  }

  /** The page itself, or a part of it. */
  async page(options = {}) {
    return this.#get(this.#path, {}, options);
  }

  /** Its headings in order. */
  async outline(options = {}) {
    return (await this.#get(`${this.#path}/outline`, {}, options)).headings;
  }

  /** Where a text stands on it; an empty list says that it is not there. */
  async find(text, options = {}) {
    return (await this.#get(`${this.#path}/find`, { text }, options)).matches;
  }

  /** The parts of it that answer a question. */
  async passages(query, options = {}) {
    return this.#get(`${this.#path}/passages`, { query }, options);
  }

  /** Whether a quotation stands on it: `found` says so, and what differs if not. */
  async quote(text, options = {}) {
    return this.#get(`${this.#path}/quote`, { text }, options);
  }

  /** A part of it by its place. */
  async window(options = {}) {
    return this.#get(`${this.#path}/window`, {}, options);
  }

  /** A section of it by title, number or path. */
  async section(heading, options = {}) {
    return this.#get(`${this.#path}/section`, { heading }, options);
  }
}

/** The options that are sent, under the names of the service; what is undefined was not asked for. */
function fields(options) {
  const sent = Object.entries(options).filter(([name, value]) => !HOW.has(name) && value !== undefined && value !== null);
  return Object.fromEntries(sent.map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]));
}

/** What an answer says, or the error that it stands for. */
async function answerOf(response) {
  const text = await response.text();
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    // A proxy on the way answers in its own words.
    body = undefined;
  }
  if (!response.ok) {
    throw errorOf(response, body);
  }
  if (body === undefined) {
    throw new Failed("the answer is not JSON: is this a seekread service?", { status: response.status, outcome: "bad_reply" });
  }
  return body;
}

/** An error of ours as it is; any other means that nobody answered. */
function told(error) {
  if (error instanceof SeekreadError) {
    return error;
  }
  const reason = error?.cause?.code ?? error?.cause?.message ?? error?.message;
  return new Unreachable(`the service cannot be reached: ${reason}`, { outcome: "unreachable", cause: error });
}

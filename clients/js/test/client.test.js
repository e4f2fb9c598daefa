/**
 * The client against a real service, over simulated engines and a page of our own.
 *
 * `tests/e2e/test_js_client.py` starts the service and says where it is: SEEKREAD_URL, SEEKREAD_TOKEN, SEEKREAD_SITE.
 */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { inspect } from "node:util";

import {
  Failed,
  InvalidRequest,
  NotFound,
  RateLimited,
  Refused,
  Seekread,
  SeekreadError,
  Unauthorized,
  Unreachable,
} from "seekread";

const { SEEKREAD_URL: url, SEEKREAD_TOKEN: token, SEEKREAD_SITE: site } = process.env;
const NOTHING = "qqnothingqq";
const web = new Seekread({ url, token });

describe("a search", () => {
  test("has results, and options are written as JavaScript writes them", async () => {
    const found = await web.search("green tea", { limit: 2, allowedDomains: ["example.org"], freshness: "month" });
    assert.equal(found.outcome, "ok");
    assert.equal(found.results.length, 2);
    assert.ok(found.results.every((result) => new URL(result.url).hostname.endsWith("example.org")));
    assert.equal(found.filters.freshness, "native");
  });

  test("that finds nothing is an answer", async () => {
    const found = await web.search(NOTHING);
    assert.deepEqual([found.outcome, found.results], ["empty", []]);
  });

  test("that nobody can answer is an error with every attempt", async () => {
    await assert.rejects(web.search("tea", { provider: ["serper"] }), (error) => {
      assert.ok(error instanceof Failed);
      assert.ok(error instanceof SeekreadError);
      assert.equal(error.name, "Failed");
      assert.equal(error.outcome, "not_configured");
      return true;
    });
  });

  test("that makes no sense says what to send instead", async () => {
    await assert.rejects(web.search(" "), InvalidRequest);
    await assert.rejects(web.search("tea", { nonsense: 1 }), (error) => {
      assert.ok(error instanceof InvalidRequest);
      assert.match(error.message, /nonsense/);
      return true;
    });
  });
});

describe("a page", () => {
  test("is read, and looked up without another fetch", async () => {
    const page = await web.open(site, { maxLength: 500 });
    assert.equal(page.title, "All about tea");
    assert.match(page.content, /Steep it for three minutes/);
    const look = web.lookup(page.snapshot);
    assert.equal((await look.outline())[0].title, "All about tea");
    assert.equal((await look.find("three minutes"))[0].match, "three minutes");
    assert.deepEqual(await look.find("no such words"), []);
    assert.equal((await look.quote("Steep it for three minutes at eighty degrees.")).found, true);
    assert.equal((await look.quote("Steep it for nine hours.")).found, false);
    assert.match((await look.passages("how long to steep")).content, /three minutes/);
    assert.match((await look.section("All about tea")).content, /Green tea/);
    assert.equal((await look.window({ offset: 2, maxLength: 10 })).offset, 2);
    assert.equal((await look.page()).title, "All about tea");
    await assert.rejects(look.section("No such section"), NotFound);
  });

  test("that is not there, or may not be read, is an error of its own", async () => {
    await assert.rejects(web.open(`${site}/gone`), NotFound);
    await assert.rejects(web.open("http://10.0.0.1/"), (error) => error instanceof Refused && error.outcome === "refused");
    await assert.rejects(web.lookup("no-such-handle").outline(), NotFound);
    assert.throws(() => web.lookup(null), InvalidRequest);
  });

  test("among several keeps its own outcome", async () => {
    const pages = await web.openPages([site, `${site}/gone`]);
    assert.deepEqual(pages.map((page) => page.success), [true, false]);
    assert.equal(pages[1].outcome, "not_found");
  });
});

test("evidence is gathered within a budget, and none is an answer", async () => {
  const nothing = await web.gather(NOTHING, { budget: 500, pages: 1 });
  assert.deepEqual([nothing.outcome, nothing.passages], ["empty", []]);
  const gathered = await web.gather("the page of this test on how to steep green tea", { budget: 400, pages: 1, phrasings: [] });
  assert.equal(gathered.outcome, "ok");
  assert.ok(gathered.used <= 400);
});

test("what the user gave, who can be asked and what was spent", async () => {
  assert.equal(await web.trust(site), 1);
  assert.ok((await web.providers()).chain.includes("brave"));
  assert.ok(Array.isArray(await web.usage()));
});

describe("a token", () => {
  test("is asked for, and a wrong one is refused", async () => {
    await assert.rejects(new Seekread({ url }).search("tea"), (error) => {
      assert.ok(error instanceof Unauthorized);
      assert.match(error.message, /seekread token create/);
      return true;
    });
    await assert.rejects(new Seekread({ url, token: "skr_wrong" }).search("tea"), Unauthorized);
  });

  test("shows up nowhere", async () => {
    const failed = await new Seekread({ url, token: "skr_wrong_0123456789" }).search("tea").catch((error) => error);
    assert.ok(!inspect(failed, { depth: 9, showHidden: true }).includes("0123456789"));
    assert.ok(!inspect(web, { depth: 9, showHidden: true }).includes(token));
    assert.equal(JSON.stringify(web), "{}");
  });

  test("is not part of an address", () => {
    for (const wrong of ["http://me:secret@127.0.0.1/", "ftp://a.example/", "nowhere", "http://a.example/?key=secret"]) {
      assert.throws(() => new Seekread({ url: wrong }), (error) => {
        assert.ok(error instanceof InvalidRequest);
        assert.ok(!error.message.includes("secret"));
        return true;
      });
    }
  });
});

describe("a service that behaves badly", () => {
  const answers = {
    "/silent/v1/search": () => {},
    "/words/v1/search": (response) => response.end("<html>hello</html>"),
    "/proxy/v1/search": (response) => response.writeHead(502).end("<html>bad gateway</html>"),
    "/busy/v1/search": (response) => response.writeHead(429, { "retry-after": "7" }).end("{}"),
    "/elsewhere/v1/search": (response) => response.writeHead(302, { location: `${site}/` }).end(),
  };
  const server = createServer((request, response) => answers[request.url]?.(response));
  const at = (path, options) => new Seekread({ url: `http://127.0.0.1:${server.address().port}${path}`, token, ...options });

  before(() => new Promise((resolve) => server.listen(0, "127.0.0.1", resolve)));
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  test("and never answers is given up, by the clock or by the caller", async () => {
    await assert.rejects(at("/silent", { timeout: 50 }).search("tea"), (error) => {
      assert.ok(error instanceof Unreachable);
      assert.equal(error.outcome, "timeout");
      return true;
    });
    const caller = new AbortController();
    const asked = at("/silent").search("tea", { signal: caller.signal });
    caller.abort(new Error("enough"));
    await assert.rejects(asked, /enough/);
    await assert.rejects(at("/silent").search("tea", { signal: AbortSignal.abort(new Error("before")) }), /before/);
  });

  test("and answers in other words is a failure, whatever its status", async () => {
    await assert.rejects(at("/words").search("tea"), (error) => error instanceof Failed && error.outcome === "bad_reply");
    await assert.rejects(at("/proxy").search("tea"), (error) => error instanceof Failed && error.status === 502);
  });

  test("and is busy says when to come back", async () => {
    await assert.rejects(at("/busy").search("tea"), (error) => error instanceof RateLimited && error.retryAfter === 7);
  });

  test("and points elsewhere is not followed with a token", async () => {
    await assert.rejects(at("/elsewhere").search("tea"), Unreachable);
  });

  test("and is not there is unreachable", async () => {
    await assert.rejects(new Seekread({ url: "http://127.0.0.1:1" }).search("tea"), (error) => {
      assert.ok(error instanceof Unreachable);
      assert.equal(error.outcome, "unreachable");
      return true;
    });
  });
});

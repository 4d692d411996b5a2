import { gzipSync } from 'node:zlib';
import { ABORT_DEADLINE_MS, contextOf } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { isPrivate } from './address.ts';
import { type WebDeps, webDeps } from './deps.ts';
import { fetcher, siteOf } from './test/server.ts';
import { createWebFetchTool } from './web-fetch.ts';

const html = { 'content-type': 'text/html; charset=utf-8' };

describe('WebFetch', () => {
  it('returns a page as Markdown, with its title', async () => {
    await using site = await siteOf((_, response) =>
      response.writeHead(200, html).end('<title>T</title><h1>Hi</h1><a href="/x">x</a>'),
    );
    expect(await fetcher().fetch(site.url)).toEqual({
      content: `T\n${site.url}/\n\n# Hi\n\n[x](${site.url}/x)`,
      isError: false,
    });
  });

  it('returns other text unchanged, decoded and decompressed', async () => {
    await using site = await siteOf((request, response) => {
      if (request.url === '/json')
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}');
      else if (request.url === '/latin')
        response
          .writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-1' })
          .end(Buffer.from([0xe9]));
      else
        response
          .writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' })
          .end(gzipSync('packed'));
    });
    const { fetch } = fetcher();
    expect((await fetch(`${site.url}/json`)).content).toContain('{"a":1}');
    expect((await fetch(`${site.url}/latin`)).content).toContain('é');
    expect((await fetch(`${site.url}/gz`)).content).toContain('packed');
  });

  it('follows a redirect on the same host, and reports one to another', async () => {
    await using site = await siteOf((request, response) => {
      if (request.url === '/a') response.writeHead(302, { location: '/b' }).end();
      else if (request.url === '/out')
        response.writeHead(301, { location: 'https://other.example/p?q=1' }).end();
      else response.writeHead(200, html).end('arrived');
    });
    const { fetch } = fetcher();
    expect((await fetch(`${site.url}/a`)).content).toBe(`${site.url}/b\n\narrived`);
    expect((await fetch(`${site.url}/out`)).content).toMatch(
      /redirects \(301\) to another host: https:\/\/other\.example\/p\?q=1/,
    );
  });

  it.each([
    ['site.example', 'www.site.example'],
    ['www.site.example', 'site.example'],
    ['site.example', 'site.example.'],
    ['site.example', 'www.www.site.example'],
    ['site.example', 'WWW.SITE.example'],
    ['site.example', 'wwｗ.site.example'],
  ])(
    'reports a redirect from %s to %s instead of following it, because rules differ by host',
    async (from, to) => {
      await using site = await siteOf((request, response) =>
        request.url === '/a'
          ? response.writeHead(302, { location: `http://${encodeURI(to)}:${site.port}/b` }).end()
          : response.writeHead(200, html).end('arrived'),
      );
      const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 as const }]);
      const { content } = await fetcher({ resolve }).fetch(`http://${from}:${site.port}/a`);
      expect(content).toContain('redirects (302) to another host: http://');
      expect(site.requests).toEqual(['/a']);
    },
  );

  it('does not follow redirects forever, nor to another kind of address', async () => {
    await using site = await siteOf((request, response) => {
      response.writeHead(302, { location: request.url === '/file' ? 'file:///etc/passwd' : '/again' }).end();
    });
    await expect(fetcher().fetch(site.url)).rejects.toThrow(/more than 5 times/);
    await expect(fetcher().fetch(`${site.url}/file`)).rejects.toThrow(/Only http and https/);
  });

  it('shows an error page as an error', async () => {
    await using site = await siteOf((_, response) => response.writeHead(404, html).end('gone'));
    expect(await fetcher().fetch(site.url)).toEqual({
      content: `${site.url}/ (status 404)\n\ngone`,
      isError: true,
    });
  });

  it('caches a page for a while, but not an error', async () => {
    let now = 0;
    let status = 500;
    await using site = await siteOf((_, response) => response.writeHead(status, html).end('x'));
    const { fetch } = fetcher({ now: () => now });
    await fetch(site.url);
    status = 200;
    await fetch(site.url);
    await fetch(`${site.url}/#part`);
    expect(site.requests).toHaveLength(2);
    now = 14 * 60_000;
    await fetch(site.url);
    expect(site.requests).toHaveLength(2);
    // Counted from the fetch, not from the last request.
    now = 15 * 60_000;
    await fetch(site.url);
    expect(site.requests).toHaveLength(3);
  });

  it('can have a page summarized by another model', async () => {
    await using site = await siteOf((_, response) => response.writeHead(200, html).end('<p>long'));
    const { fetch } = fetcher({ digest: ({ text, prompt }) => Promise.resolve(`${prompt} ${text}`) });
    expect((await fetch(site.url)).content).toContain('what is it? long');
  });

  it('cuts a page that is too long to show, and one that is too large to fetch', async () => {
    await using site = await siteOf((_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(100_000)),
    );
    expect((await fetcher().fetch(site.url)).content).toMatch(/\(the first 30000 of 100000 characters\)$/);
    expect((await fetcher({ maxBytes: 1_000 }).fetch(site.url)).content).toMatch(
      /x\n\(the page was too large to fetch whole\)$/,
    );
  });

  it('closes the connection of a page without an end', async () => {
    const hungUp = Promise.withResolvers<void>();
    await using site = await siteOf((_, response) => {
      const more = (): boolean => response.destroyed || (response.write('x'.repeat(1_000)) && more());
      response.on('drain', more).on('close', hungUp.resolve).writeHead(200, html);
      more();
    });
    const { content } = await fetcher({ maxBytes: 5_000 }).fetch(site.url);
    expect(content).toContain('the page was too large to fetch whole');
    await hungUp.promise;
  });

  it('limits the decompressed size', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, 'x'));
    await using site = await siteOf((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(bomb),
    );
    expect((await fetcher({ maxBytes: 100_000 }).fetch(site.url)).content).toMatch(/too large/);
  });

  it('rejects a body that is not text', async () => {
    await using site = await siteOf((request, response) => {
      response
        .writeHead(200, { 'content-type': request.url === '/png' ? 'image/png' : 'text/plain' })
        .end(Buffer.from([0, 1, 2]));
    });
    await expect(fetcher().fetch(`${site.url}/png`)).rejects.toThrow(/image\/png, which is not text/);
    await expect(fetcher().fetch(site.url)).rejects.toThrow(/it is not text/);
  });

  it('does not wait forever', async () => {
    await using site = await siteOf(() => undefined);
    await expect(fetcher({ timeoutMs: 50 }).fetch(site.url)).rejects.toThrow(/did not answer within 50 ms/);
    await using slow = await siteOf((_, response) => void response.writeHead(200, html).write('begun'));
    await expect(fetcher({ timeoutMs: 50 }).fetch(slow.url)).rejects.toThrow(/did not answer within 50 ms/);
  });

  it('does not wait for a silent name server, neither in time nor after an abort', async () => {
    const resolve = () => Promise.withResolvers<never>().promise;
    await expect(fetcher({ timeoutMs: 50, resolve }).fetch('http://silent.example')).rejects.toThrow(
      /did not answer within 50 ms/,
    );
    const controller = new AbortController();
    const fetching = fetcher({ resolve }).fetch('http://silent.example', controller.signal);
    controller.abort();
    await expect(fetching).rejects.toThrow(/abort/i);
  });

  it('ends at once when it is aborted', async () => {
    const controller = new AbortController();
    await using site = await siteOf((_, response) => {
      response.writeHead(200, html).write('begun');
      controller.abort();
    });
    const from = performance.now();
    await expect(fetcher().fetch(site.url, controller.signal)).rejects.toThrow(/abort/i);
    expect(performance.now() - from).toBeLessThan(ABORT_DEADLINE_MS);
  });

  it('explains a host that does not respond', async () => {
    const site = await siteOf(() => undefined);
    await site[Symbol.asyncDispose]();
    await expect(fetcher().fetch(site.url)).rejects.toThrow(/the connection was refused/);
    const unknown = Object.assign(new Error('x'), { code: 'ENOTFOUND' });
    await expect(
      fetcher({ resolve: () => Promise.reject(unknown) }).fetch('http://nowhere.example'),
    ).rejects.toThrow(/no such host/);
  });

  it.each([
    'nonsense',
    '/path',
    'file:///etc/passwd',
    'ftp://host/',
    'javascript:x',
    'http://user:pass@host/',
    'http://',
  ])('rejects the address %j before any request', async (url) => {
    expect(await fetcher().tool.validateInput?.({ url, prompt: '' }, contextOf())).toMatchObject({
      ok: false,
    });
  });

  it.each([{}, { url: 'https://x' }, { url: '', prompt: '' }, { url: 'https://x', prompt: 1 }])(
    'rejects the input %j',
    async (input) => {
      expect((await fetcher().tool.inputSchema()).safeParse(input).success).toBe(false);
    },
  );
});

describe('a private address', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '255.255.255.255',
    '224.0.0.1',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:db8::1',
    'nonsense',
  ])('is %s', (address) => expect(isPrivate(address)).toBe(true));

  it.each(['1.1.1.1', '93.184.216.34', '172.32.0.1', '2606:4700::1111', '2a00:1450::1'])(
    'is not %s',
    (address) => {
      expect(isPrivate(address)).toBe(false);
    },
  );

  const refusing = { allowsPrivate: () => false };

  it.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://[::1]/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::ffff:127.0.0.1]/',
  ])('is rejected as %s', async (url) => {
    await expect(fetcher(refusing).fetch(url)).rejects.toThrow(/private address/);
  });

  it.each(['http://127.0.0.1:9/', 'http://localhost/', 'http://[::1]/', 'http://api.localhost/'])(
    'is rejected as %s before the user is asked, unless a rule names it',
    async (url) => {
      const resolve = () => expect.fail('A name is looked up only for a call that may run.');
      const validated = (deps: Partial<WebDeps>) =>
        createWebFetchTool(webDeps({ resolve, ...deps })).validateInput?.({ url, prompt: '' }, contextOf());
      expect(await validated(refusing)).toMatchObject({ ok: false, message: /private address/ });
      expect(await validated({ allowsPrivate: () => true })).toEqual({ ok: true });
    },
  );

  it('is rejected behind a name, also beside a public one', async () => {
    const resolve = () =>
      Promise.resolve([
        { address: '1.1.1.1', family: 4 as const },
        { address: '10.0.0.1', family: 4 as const },
      ]);
    await expect(fetcher({ ...refusing, resolve }).fetch('http://trap.example/')).rejects.toThrow(
      /10\.0\.0\.1, a private address/,
    );
  });

  it('is rejected after a redirect, when the name then resolves to it', async () => {
    await using site = await siteOf((_, response) => response.writeHead(302, { location: '/again' }).end());
    let asked = 0;
    const resolve = () =>
      Promise.resolve([{ address: asked++ === 0 ? '127.0.0.1' : '10.0.0.1', family: 4 as const }]);
    const allowsPrivate = () => asked === 0;
    await expect(
      fetcher({ allowsPrivate, resolve }).fetch(`http://swap.example:${site.port}/`),
    ).rejects.toThrow(/10\.0\.0\.1/);
    expect(site.requests).toHaveLength(1);
  });

  it('is fixed for the connection after the check, even if the name changes', async () => {
    await using site = await siteOf((request, response) =>
      response.writeHead(200, html).end(`asked as ${request.headers.host}`),
    );
    const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 as const }]);
    const { content } = await fetcher({ resolve }).fetch(`http://pinned.example:${site.port}/`);
    expect(content).toContain(`asked as pinned.example:${site.port}`);
  });
});

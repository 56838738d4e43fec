import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(60_000);

const ROOT = join(__dirname, '../..');
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

describe('the page of components', () => {
  let folder: string;
  let server: Server;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'uptime-components-'));
    const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
    execFileSync(process.execPath, [vite, 'build', 'web/components', '--outDir', folder], { cwd: ROOT, stdio: 'pipe' });
    server = createServer(({ url: path = '/' }, response) => {
      if (path === '/favicon.ico') return void response.writeHead(204).end();
      const file = path === '/' ? '/index.html' : path;
      response.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream');
      return void response.end(readFileSync(join(folder, file)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    server.close();
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 320],
  ] as const)('has no errors in the %s theme, %i pixels wide, and fits in', async (colorScheme, width) => {
    const visit = await Visit.start(browser, url, { colorScheme, width });
    await visit.page.goto(`${url}/`);
    await visit.page.getByRole('heading', { name: 'Components' }).waitFor();
    expect([await visit.barriers(), await visit.overflow(), visit.complaints]).toEqual([[], 0, []]);
    await visit.close();
  });
});

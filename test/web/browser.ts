import { existsSync, readFileSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core';
import { eventually } from '../../packages/testing/eventually';

/** Debian's Chromium, or the browser in CHROMIUM. */
const CANDIDATES = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/** WCAG 2.2 AA, and the best practices of axe. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/**
 * Starts the browser. Without a browser, it fails and explains what to install, because a skipped browser test proves
 * nothing.
 */
export function launchBrowser(): Promise<Browser> {
  const executablePath = CANDIDATES.find((path) => path !== undefined && existsSync(path));
  if (executablePath === undefined) {
    throw new Error('Chromium is missing: apt-get install -y chromium, or set CHROMIUM to its path');
  }
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

export interface VisitOptions {
  colorScheme?: 'light' | 'dark';
  width?: number;
  height?: number;
  timezoneId?: string;
}

/** A user's browser window on the service, and everything that went wrong in it. */
export class Visit {
  /** Messages of level error, exceptions, policy violations, and requests to other origins. Must stay empty. */
  readonly complaints: string[] = [];
  /** Pending requests, without the live stream, which never ends. */
  private readonly pending = new Set<Request>();

  private constructor(
    readonly url: string,
    readonly context: BrowserContext,
    readonly page: Page,
  ) {}

  static async start(browser: Browser, url: string, options: VisitOptions = {}): Promise<Visit> {
    const { colorScheme = 'light', width = 1280, height = 900, timezoneId } = options;
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme,
      reducedMotion: 'reduce',
      ...(timezoneId !== undefined && { timezoneId }),
    });
    const visit = new Visit(url, context, await context.newPage());
    await visit.watch();
    return visit;
  }

  /** Opens a second window of the same browser, with the same cookies. */
  async another(): Promise<Visit> {
    const visit = new Visit(this.url, this.context, await this.context.newPage());
    await visit.watch();
    return visit;
  }

  /** Opens a page of the dashboard, such as `/alerts`, by its hash path. */
  async open(path: string): Promise<void> {
    await this.page.goto(`${this.url}/#${path}`);
  }

  /** Pastes a text at the focus, as Ctrl-V does, without the machine's clipboard. */
  async paste(text: string): Promise<void> {
    await this.page.evaluate<void>(
      `(() => {
        const data = new DataTransfer();
        data.setData('text/plain', ${JSON.stringify(text)});
        document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
      })()`,
    );
  }

  /** Waits until the page has loaded and rendered everything: no request starts or runs for three frames. */
  async settled(): Promise<void> {
    await eventually('the page has loaded', async () => {
      await this.page.evaluate(
        'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))',
      );
      return this.pending.size === 0 && (await this.page.getByText('Loading…').count()) === 0;
    });
  }

  /** Signs in with a key, like the form that `dashboard.spec.ts` fills in. */
  async signIn(key: string): Promise<void> {
    const response = await this.context.request.post(`${this.url}/auth/session`, { data: { api_key: key } });
    if (response.status() !== 201) throw new Error(`nobody signs in: ${response.status()} ${await response.text()}`);
    await this.page.goto(`${this.url}/`);
    await this.page.getByRole('navigation', { name: 'Main' }).waitFor();
  }

  /** Returns violations of WCAG 2.2 AA on the current page as sentences, optionally only of the rules about color. */
  async barriers(of: 'everything' | 'colours' = 'everything'): Promise<string[]> {
    const { page } = this;
    // Once per document, and the dashboard is one document. Reading half a megabyte takes longer than checking a
    // page.
    if (await page.evaluate<boolean>(`typeof axe === 'undefined'`)) await page.evaluate(AXE);
    const runOnly = of === 'colours' ? { type: 'rule', values: OF_COLOURS } : { type: 'tag', values: TAGS };
    return page.evaluate<string[]>(
      `axe.run(document, ${JSON.stringify({ runOnly, resultTypes: ['violations'] })}).then(({ violations }) =>
        violations.flatMap(({ id, nodes }) =>
          nodes.map(({ target, failureSummary = '' }) => id + ': ' + target.join(' ') + ': ' + failureSummary)))`,
    );
  }

  /** Returns how many pixels the page is wider than its window. */
  overflow(): Promise<number> {
    return this.page.evaluate<number>(
      'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)',
    );
  }

  close(): Promise<void> {
    return this.context.close();
  }

  private async watch(): Promise<void> {
    const { page, complaints } = this;
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => complaints.push(`exception: ${error.stack ?? error.message}`));
    page.on('request', (request) => {
      if (!request.url().includes('/api/v1/stream')) this.pending.add(request);
      if (!request.url().startsWith(`${this.url}/`)) complaints.push(`request to ${request.url()}`);
    });
    page.on('requestfinished', (request) => this.pending.delete(request));
    page.on('requestfailed', (request) => this.pending.delete(request));
    await page.exposeFunction('reportViolation', (text: string) => complaints.push(`policy: ${text}`));
    await page.addInitScript(
      `addEventListener('securitypolicyviolation', (event) => reportViolation(event.violatedDirective + ' ' + event.blockedURI))`,
    );
  }
}

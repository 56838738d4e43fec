import { existsSync } from 'node:fs';
import AxeBuilder from '@axe-core/playwright';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** Debian's Chromium, or another one named by CHROMIUM. */
const CANDIDATES = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Starts the browser. Fails with what to do when there is none: a skipped browser test proves nothing. */
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
}

/** A person's browser window on the service, and everything that went wrong in it. */
export class Visit {
  /** Messages of level error, exceptions, policy violations, and requests that left the origin. Must stay empty. */
  readonly complaints: string[] = [];

  private constructor(
    readonly url: string,
    readonly context: BrowserContext,
    readonly page: Page,
  ) {}

  static async start(browser: Browser, url: string, options: VisitOptions = {}): Promise<Visit> {
    const { colorScheme = 'light', width = 1280, height = 900 } = options;
    const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
    const visit = new Visit(url, context, await context.newPage());
    await visit.watch();
    return visit;
  }

  /** Opens a screen, such as `/alerts`, by its hash. */
  async open(screen: string): Promise<void> {
    await this.page.goto(`${this.url}/#${screen}`);
  }

  async signIn(key: string): Promise<void> {
    await this.page.goto(`${this.url}/`);
    await this.page.getByLabel('API key').fill(key);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await this.page.getByRole('navigation', { name: 'Main' }).waitFor();
  }

  /** Violations of WCAG 2.2 AA on what is shown, as sentences. */
  async barriers(): Promise<string[]> {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await new AxeBuilder({ page: this.page }).withTags(tags).analyze();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary ?? ''}`),
    );
  }

  /** How much wider the page is than its window; 0 when nothing sticks out. */
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
      if (!request.url().startsWith(`${this.url}/`)) complaints.push(`request to ${request.url()}`);
    });
    await page.exposeFunction('reportViolation', (text: string) => complaints.push(`policy: ${text}`));
    await page.addInitScript(
      `addEventListener('securitypolicyviolation', (event) => reportViolation(event.violatedDirective + ' ' + event.blockedURI))`,
    );
  }
}

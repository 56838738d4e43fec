import type { Browser } from 'playwright-core';
import type { Notification } from '../../src/channel/notification';
import { type ChannelBench, openChannelBench } from '../../packages/testing/channel/channel-bench';
import { notificationOf } from '../../packages/testing/channel/notifications';
import { readMail } from '../../packages/testing/providers/mail';
import { SmtpSink } from '../../packages/testing/servers/smtp-sink';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(120_000);

const INCIDENT = 'https://uptime.example.com/#/incidents/inc_01jd4incident00000000000000';
const ABOUT: Partial<Notification> = {
  incidentNumber: 4,
  outage: 2,
  timezone: 'Europe/Berlin',
  links: {
    page: 'https://uptime.example.com/#/endpoints/ep_01jd4endpoint0000000000000',
    incident: INCIDENT,
    acknowledge: 'https://uptime.example.com/ack/AZqy5Gg1fPOaBcDeFgHiJkLmAAAAB2khqYAb7c0ZfYw1t8Xk3m9QvL2s',
  },
};

describe('an email in a browser', () => {
  let bench: ChannelBench;
  let sink: SmtpSink;
  let browser: Browser;

  beforeAll(async () => {
    [bench, sink, browser] = await Promise.all([openChannelBench(), SmtpSink.start({}), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await sink.stop();
    await bench.close();
  });

  /** Sends a notification by email. Returns its two forms as they arrive. */
  async function arrived(notification: Notification): Promise<{ text: string; html: string; subject: string }> {
    sink.expect({ accept: true });
    const smtp = { host: '127.0.0.1', port: sink.port, secure: false };
    const config = { to: ['ops@example.com'], from: 'uptime@example.com', smtp };
    const signal = new AbortController().signal;
    expect(await bench.registry.send('email', notification, config, { egress: bench.trusted, signal })).toMatchObject({
      result: 'delivered',
    });
    const { headers, parts } = readMail(sink.mails.at(-1)?.raw ?? '');
    const [text, html] = ['text/plain', 'text/html'].map(
      (type) => parts.find((part) => part.type === type)?.text ?? '',
    );
    return { text: text ?? '', html: html ?? '', subject: headers['subject'] ?? '' };
  }

  it.each(['triggered', 'reminder', 'resolved', 'recovered'] as const)(
    'fits a phone, in light and dark, with one button and the incident: %s',
    async (kind) => {
      const isDown = kind === 'triggered' || kind === 'reminder';
      const links = { ...ABOUT.links, acknowledge: isDown ? (ABOUT.links?.acknowledge ?? null) : null };
      const { html, text } = await arrived({ ...notificationOf(kind), ...ABOUT, links } as Notification);
      for (const colorScheme of ['light', 'dark'] as const) {
        const visit = await Visit.start(browser, 'about:', { width: 320, height: 640, colorScheme });
        const { page } = visit;
        await page.setContent(html);
        expect(await visit.overflow()).toBe(0);
        expect(await visit.barriers('colours')).toEqual([]);
        const button = page.getByRole('link', { name: 'Acknowledge', exact: true });
        expect(await button.count()).toBe(isDown ? 1 : 0);
        if (isDown) {
          const box = await button.boundingBox();
          expect(box?.height).toBeGreaterThanOrEqual(44);
          expect(box?.width).toBeGreaterThanOrEqual(240);
        }
        expect(await page.getByRole('link', { name: 'Open incident #4' }).getAttribute('href')).toBe(INCIDENT);
        const folder = process.env['SCREENSHOTS'];
        if (folder) await page.screenshot({ path: `${folder}/mail-${kind}-${colorScheme}.png`, fullPage: true });
        await visit.close();
      }
      expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
      expect(html).toContain('20 Nov 2026, 13:01:33 Europe/Berlin');
      for (const form of [html, text]) expect(form).not.toMatch(/connection_refused|\d\d:\d\d:\d\d UTC/);
      expect(text).toContain(`Open incident #4: ${INCIDENT}`);
    },
  );

  it('says that the endpoint is down again, and ends with the time of the first successful check', async () => {
    const again = await arrived({ ...notificationOf('triggered'), ...ABOUT } as Notification);
    expect(again.subject).toMatch(/^Checkout API is down again: connection refused/);
    expect(again.text).toContain('Incident: #4, outage 2');
    const over = await arrived({ ...notificationOf('recovered'), ...ABOUT } as Notification);
    // 12:01:33 UTC and 723 seconds.
    expect(over.text).toContain('Recovered: 20 Nov 2026, 13:13:36 Europe/Berlin');
  });
});

import { type ResponseMode, SwitchableServer } from '../harness/servers/switchable-server';
import { CHANNELS, PAGER, type ProviderMode } from './commands';
import { ROTATION_HEADER } from './requests';
import type { Span, ReceivedNotification, ModeChange, Page } from './history';

const BEAT_MS = 100;
const STALL_MS = 1000;

/**
 * Everything around the service: one server with all targets, and one per channel, the last of which is a pager.
 * Records the requests that they received and how they were switched.
 */
export class FakeInternet {
  readonly startedAt = Date.now();
  readonly received: ReceivedNotification[] = [];
  readonly pages: Page[] = [];
  /** The number of requests to each endpoint's target, and how many of them did not get `ok`. */
  readonly requests = new Map<string, { requests: number; failed: number }>();
  readonly modeChanges = new Map<string, ModeChange[]>();
  readonly ownStalls: Span[] = [];
  private lastBeatAt = Date.now();
  private readonly beat = setInterval(() => this.detectOwnStall(), BEAT_MS);

  private constructor(
    private readonly targets: SwitchableServer,
    private readonly channels: SwitchableServer[],
  ) {}

  static async open(): Promise<FakeInternet> {
    const channels: SwitchableServer[] = [];
    const targets = await SwitchableServer.start(({ key, mode }) => internet.count(key, mode));
    const internet = new FakeInternet(targets, channels);
    for (let channel = 0; channel < CHANNELS; channel++)
      channels.push(
        await SwitchableServer.start(({ at, mode, body, headers }) =>
          internet.received.push({
            id: String(headers['webhook-id']),
            channel,
            rotation: Number(headers[ROTATION_HEADER]),
            at,
            mode,
            body,
          }),
        ),
      );
    const pager = await SwitchableServer.start(({ at, mode, body }) => {
      const event = JSON.parse(body) as { dedup_key: string; event_action: Page['action'] };
      internet.pages.push({ at, mode, key: event.dedup_key, action: event.event_action });
    });
    pager.status = 202;
    pager.body = '{"status":"success"}';
    channels.push(pager);
    return internet;
  }

  get pagerConfig(): object {
    return { routing_key: 'a'.repeat(32), api_url: this.hookUrl(PAGER) };
  }

  targetUrl(path: string): string {
    return `${this.targets.url}/${path}`;
  }

  targetPath(url: string): string {
    return url.slice(this.targets.url.length + 1);
  }

  hookUrl(channel: number): string {
    return `${this.channels[channel]?.url}/hook`;
  }

  /** Returns the channel of a webhook URL, or -1 for any other URL. */
  channelOf(url: string): number {
    return this.channels.findIndex((server) => url === `${server.url}/hook`);
  }

  switchTarget(endpoint: string, mode: ResponseMode): void {
    this.modeChanges.set(endpoint, [...(this.modeChanges.get(endpoint) ?? []), { from: Date.now(), mode }]);
    this.targets.switch(endpoint, mode);
  }

  async switchProvider(channel: number, mode: ProviderMode): Promise<void> {
    const server = this.channels[channel];
    if (mode === 'refuse') return server?.close();
    server?.switch('hook', mode);
    await server?.open();
  }

  async heal(): Promise<void> {
    for (const channel of this.channels.keys()) await this.switchProvider(channel, 'ok');
  }

  async close(): Promise<void> {
    clearInterval(this.beat);
    await Promise.all([this.targets, ...this.channels].map((server) => server.close()));
  }

  private count(key: string, mode: ResponseMode): void {
    const { requests, failed } = this.requests.get(key) ?? { requests: 0, failed: 0 };
    this.requests.set(key, { requests: requests + 1, failed: failed + (mode === 'ok' ? 0 : 1) });
  }

  /** If this process stalled, late responses are not the service's fault. */
  private detectOwnStall(): void {
    const now = Date.now();
    if (now - this.lastBeatAt > STALL_MS) this.ownStalls.push({ from: this.lastBeatAt, to: now });
    this.lastBeatAt = now;
  }
}

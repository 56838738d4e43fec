import type { Write } from './expected-state';
import type { FakeInternet } from './fake-internet';
import type { Fields } from './model';

export type Request = [method: string, path: string, body?: object];

const CHECK_TIMEOUT_SECONDS = 3;
/** The minimum in seconds. Time passes by command. */
export const REMIND_EVERY_SECONDS = 300;
/** A rotation changes its value: the same URL with another credential. */
export const ROTATION_HEADER = 'x-rotation';

/** A webhook's config as the API shows it. */
export interface WebhookConfig {
  url: string;
  headers?: { key: string; value: string }[];
}

/** Converts writes to requests: names to IDs, and channels to configs. */
export class Requests {
  private readonly ids = new Map<string, string>();
  private readonly names = new Map<string, string>();

  constructor(private readonly internet: FakeInternet) {}

  learn(name: string, id: string): void {
    this.ids.set(name, id);
    this.names.set(id, name);
  }

  idOf(name: string): string | undefined {
    return this.ids.get(name);
  }

  /** Returns the ID if the name is unknown. */
  nameOf(id: string): string {
    return this.names.get(id) ?? id;
  }

  /** Returns `null` if the write names a resource that isn't known to exist. */
  of(write: Write): Request | null {
    const id = this.ids.get(write.name);
    const fields = write.do === 'delete' ? {} : write.fields;
    if (typeof fields['via'] === 'string' && fields['via'] !== '' && !this.ids.has(fields['via'])) return null;
    if (write.do === 'create') return this.creation(write, this.bodyOf(fields));
    if (id === undefined) return null;
    const path = `/${write.kind}s/${id}`;
    if (write.do === 'update') return ['PUT', path, this.bodyOf(fields)];
    if (write.replacement === undefined) return ['DELETE', path];
    const replacementId = this.ids.get(write.replacement);
    return replacementId === undefined ? null : ['DELETE', `${path}?replace_with=${replacementId}`];
  }

  /** Returns the route of a config. The channel is -1 for a URL outside the test. */
  routeIn({ url, headers = [] }: WebhookConfig): { channel: number; rotation: number } {
    const rotation = headers.find(({ key }) => key.toLowerCase() === ROTATION_HEADER)?.value;
    return { channel: this.internet.channelOf(url), rotation: Number(rotation) };
  }

  private creation({ kind, name, parent }: Extract<Write, { do: 'create' }>, body: object): Request | null {
    const parentId = parent === null ? undefined : this.ids.get(parent);
    if (parent !== null && parentId === undefined) return null;
    switch (kind) {
      case 'website':
        return ['POST', '/websites', { name, url: 'https://shop.example.com', ...body }];
      case 'endpoint': {
        const fixed = { name, type: 'HTTP', timeout: CHECK_TIMEOUT_SECONDS };
        return ['POST', `/websites/${parentId}/endpoints`, { ...fixed, ...body }];
      }
      case 'alert':
        return ['POST', '/alerts', { endpoint_id: parentId, description: name, ...body }];
      case 'contact':
        return ['POST', '/contacts', { name, type: 'webhook', ...body }];
      default:
        return kind satisfies never;
    }
  }

  private bodyOf({ path, locations, via, channel, rotation, reminds, pager, ...plain }: Fields): object {
    const config = {
      url: this.internet.hookUrl(Number(channel)),
      headers: [{ key: ROTATION_HEADER, value: String(rotation) }],
    };
    return {
      ...plain,
      ...(path === undefined ? {} : { url: this.internet.targetUrl(String(path)) }),
      ...(locations === undefined ? {} : { locations: String(locations).split(',') }),
      ...(reminds === undefined ? {} : { remind_every: reminds ? REMIND_EVERY_SECONDS : null }),
      ...(via ? { contact_id: this.ids.get(String(via)) } : {}),
      ...(via === '' ? { contact_id: null, type: 'webhook' } : {}),
      ...(pager ? { type: 'pagerduty', config: this.internet.pagerConfig } : {}),
      ...(channel === undefined || via ? {} : { config }),
    };
  }
}

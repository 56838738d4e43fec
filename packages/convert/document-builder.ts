import { readUrl } from '../../src/platform/text/read-url';
import { cut, oneLine } from '../../src/platform/text/text-limits';
import type {
  ConfigurationDocument,
  DeclaredEndpoint,
  DeclaredWebsite,
  SecretReference,
  Text,
} from '../../src/configuration/document/document';
import type { ReportEntry } from './conversion';
import { keyFrom } from '../../src/configuration/document/keys';

const MAX_NAME = 255;
const MAX_TAGS = 20;
const TAG = /^[a-z0-9][a-z0-9._:/-]{0,49}$/;

/** An endpoint that hasn't been assigned to a website yet. */
export type NewEndpoint = Omit<DeclaredEndpoint, 'key'>;

/** Endpoints that share a website. */
export interface Group {
  name: string;
  at: string;
}

interface Website {
  declared: DeclaredWebsite & { endpoints: DeclaredEndpoint[] };
  keys: Set<string>;
  at: string;
}

/** Assigns endpoints to websites, and moves credentials to `secrets`. */
export class DocumentBuilder {
  private readonly websites = new Map<string, Website>();
  private readonly taken = new Set<string>();
  private readonly secrets = new Map<string, string>();
  /** Secret names by label and value. */
  private readonly names = new Map<string, string>();
  /** The last number used for each label, so that numbering doesn't start over each time. */
  private readonly turns = new Map<string, number>();

  /** The endpoint's key is based on its name, or on `wanted` if the name is unusable. */
  add(group: Group, endpoint: NewEndpoint, wanted = ''): void {
    const { declared, keys } = this.websiteOf(group);
    declared.endpoints.push({ key: keyFrom(wanted || endpoint.name, keys), ...endpoint });
    if (declared.url === '' && /^HTTPS?$/.test(endpoint.type) && typeof endpoint.url === 'string')
      declared.url = readUrl(endpoint.url)?.origin ?? '';
  }

  /** Stores a credential in `secrets` and returns a reference to it. `label` names the credential's owner. */
  secret(label: string, value: string): SecretReference {
    const stem = `${/^[a-z]/i.test(label) ? '' : 'S_'}${label}`
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_')
      .slice(0, 100);
    const known = this.names.get(`${stem} ${value}`);
    if (known !== undefined) return { $secret: known };
    let turn = this.turns.get(stem) ?? 1;
    const nameOf = (n: number): string => (n === 1 ? stem.replace(/(?<!_)_+$/, '') : `${stem}_${n}`);
    while ((this.secrets.get(nameOf(turn)) ?? value) !== value) turn++;
    const name = nameOf(turn);
    this.turns.set(stem, turn);
    this.names.set(`${stem} ${value}`, name);
    this.secrets.set(name, value);
    return { $secret: name };
  }

  readonly valueOf = (text: Text): string => (typeof text === 'string' ? text : (this.secrets.get(text.$secret) ?? ''));

  /** Adds a report entry for each website whose URL had to be made up. */
  finish(report: readonly ReportEntry[]): { document: ConfigurationDocument; report: ReportEntry[] } {
    const websites = [...this.websites.values()];
    const nameless = websites.filter(({ declared }) => declared.url === '');
    for (const { declared } of nameless) declared.url = `https://${hostFrom(declared.key)}.invalid`;
    const madeUp = nameless.map(({ declared, at }): ReportEntry => {
      const why = `a website must have a URL, and nothing in this one has an HTTP URL, so ${declared.url} is used as a placeholder`;
      return { at, name: declared.name, result: 'approximated', why };
    });
    const declared = JSON.stringify(websites.map((website) => website.declared));
    const named = new Set([...declared.matchAll(/\{"\$secret":"([A-Z0-9_]+)"\}/g)].map(([, name]) => name));
    const used = [...this.secrets].filter(([name]) => named.has(name));
    const document: ConfigurationDocument = {
      version: 1,
      ...(used.length > 0 && { secrets: Object.fromEntries(used) }),
      ...(websites.length > 0 && { websites: websites.map((website) => website.declared) }),
    };
    return { document, report: [...report, ...madeUp] };
  }

  private websiteOf({ name, at }: Group): Website {
    const known = this.websites.get(name);
    if (known) return known;
    const shown = nameFrom(name);
    const declared = { key: keyFrom(shown, this.taken), name: shown, url: '', endpoints: [] };
    const website = { declared, keys: new Set<string>(), at };
    this.websites.set(name, website);
    return website;
  }
}

const hostFrom = (key: string): string =>
  key
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|(?<!-)-+$/g, '')
    .slice(0, 63)
    .replace(/(?<!-)-+$/, '');

/** Returns a name that the API accepts. */
export const nameFrom = (text: string): string => cut(oneLine(text), MAX_NAME) || 'unnamed';

/** Returns the labels that can be tags, and the labels that are invalid or exceed the limit. */
export function tagsFrom(labels: readonly string[]): { tags: string[]; lost: string[] } {
  const lower = [...new Set(labels.map((label) => label.toLowerCase().replace(/\s+/g, '-')))];
  const tags = lower.filter((label) => TAG.test(label)).slice(0, MAX_TAGS);
  return { tags, lost: lower.filter((label) => !tags.includes(label)) };
}

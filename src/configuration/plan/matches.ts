import type { Alert } from '../../alert/alert.entity';
import type { Contact } from '../../contact/contact.entity';
import { maskedUrl } from '../../endpoint/settings/shown-settings';
import type { WindowRow } from '../../maintenance/window-row';
import { readUrl } from '../../platform/text/read-url';
import type { Website } from '../../website/website.entity';
import { parseWebsiteUrl } from '../../website/website-url';
import type {
  ConfigurationDocument,
  DeclaredAlert,
  DeclaredContact,
  DeclaredEndpoint,
  DeclaredProbe,
  DeclaredStatusPage,
  DeclaredWebsite,
  DeclaredWindow,
} from '../document/document';
import { grouped } from '../../platform/text/grouped';
import { isReference } from './kept-secrets';
import { Turns } from '../../platform/time/turns';
import { match, type Match, type Matched, type Siblings, type Stored } from './matching';
import type { PlanFindings } from './plan-findings';
import type { PresentEndpoint, PresentPage, PresentProbe, PresentState } from './state/present-state';

export type EndpointMatch = Match<DeclaredEndpoint, PresentEndpoint> & { website: Match<DeclaredWebsite, Website> };
export type AlertMatch = Match<DeclaredAlert, Alert> & { endpoint: EndpointMatch; contactId: string | null };

/** All declared resources, each with its stored counterpart. */
export interface Matches {
  contacts: readonly Match<DeclaredContact, Contact>[];
  probes: readonly Match<DeclaredProbe, PresentProbe>[];
  websites: readonly Match<DeclaredWebsite, Website>[];
  endpoints: readonly EndpointMatch[];
  alerts: readonly AlertMatch[];
  windows: readonly Match<DeclaredWindow, WindowRow>[];
  pages: readonly Match<DeclaredStatusPage, PresentPage>[];
}

const likeness = (...parts: readonly string[]): string => JSON.stringify(parts);

/** A placeholder for a URL that is a secret without a value. */
const SECRET = '$secret';

/** Normalizes a URL, so that different spellings are equal: `https://x` is `https://x/`. */
const sameAddress = (url: unknown): string => {
  if (isReference(url)) return SECRET;
  const text = String(url).trim();
  return readUrl(text)?.href ?? text;
};

const websiteAddress = (url: string): string => {
  const parsed = parseWebsiteUrl(url);
  return 'url' in parsed ? parsed.url : url;
};

/**
 * Finds the stored counterparts of declared resources. Ambiguous resources and another owner's resources are added to
 * the findings.
 */
export async function matchAll(
  document: ConfigurationDocument,
  state: PresentState,
  findings: PlanFindings,
  takesOver: boolean,
): Promise<Matches> {
  const turns = new Turns();
  const owner = document.owner ?? null;
  const among = <Declared extends { key: string }, Present extends Stored>(siblings: Siblings<Declared, Present>) =>
    noted(match(owner, siblings, takesOver), findings);

  const contacts = among<DeclaredContact, Contact>({
    noun: 'contact',
    pointer: '/contacts',
    parent: '',
    declared: document.contacts ?? [],
    present: state.contacts,
    likenessOfDeclared: ({ name, type }) => likeness(name.trim(), type),
    likenessOfPresent: ({ name, type }) => likeness(name, type),
  });
  const probes = among<DeclaredProbe, PresentProbe>({
    noun: 'probe',
    pointer: '/probes',
    parent: '',
    declared: document.probes ?? [],
    present: state.probes,
    likenessOfDeclared: ({ key }) => key,
    likenessOfPresent: ({ key }) => key,
  });
  const websites = among<DeclaredWebsite, Website>({
    noun: 'website',
    pointer: '/websites',
    parent: '',
    declared: document.websites ?? [],
    present: state.websites,
    likenessOfDeclared: ({ name, url }) => likeness(name.trim(), websiteAddress(url)),
    likenessOfPresent: ({ name, url }) => likeness(name, url),
  });
  const ofWebsite = grouped(state.endpoints, ({ websiteId }) => websiteId);
  const endpointsOf = (website: Match<DeclaredWebsite, Website>): EndpointMatch[] => {
    const { endpoints: siblings = [] } = website.declared;
    // A URL that is a secret matches an endpoint whose URL may be a secret and isn't a sibling's URL.
    const plain = new Set(siblings.map(({ name, type, url }) => likeness(name.trim(), type, sameAddress(url))));
    const secret = new Set(
      siblings.filter(({ url }) => isReference(url)).map(({ name, type }) => likeness(name.trim(), type)),
    );
    const found = among<DeclaredEndpoint, PresentEndpoint>({
      noun: 'endpoint',
      pointer: `${website.pointer}/endpoints`,
      parent: website.path,
      declared: siblings,
      present: website.present ? (ofWebsite.get(website.id) ?? []) : [],
      likenessOfDeclared: ({ name, type, url }) => likeness(name.trim(), type, sameAddress(url)),
      likenessOfPresent: ({ name, type, url }) => {
        const whole = likeness(name, type, sameAddress(url));
        const mayBeSecret = secret.has(likeness(name, type)) && maskedUrl(url) !== url;
        return mayBeSecret && !plain.has(whole) ? likeness(name, type, SECRET) : whole;
      },
    });
    return found.map((match) => ({ ...match, website }));
  };
  const endpoints = await turns.all(steps(websites, endpointsOf));
  const contactIds = new Map<string, string>([
    ...state.contacts.flatMap(({ id, externalKey }): [string, string][] =>
      externalKey === null ? [] : [[externalKey, id]],
    ),
    ...contacts.map(({ path, id }): [string, string] => [path, id]),
  ]);
  const contactOf = ({ contact }: DeclaredAlert): string | null =>
    contact === undefined ? null : (contactIds.get(contact) ?? null);
  const ofEndpoint = grouped(state.alerts, ({ endpointId }) => endpointId);
  const alertsOf = (endpoint: EndpointMatch): AlertMatch[] =>
    among<DeclaredAlert, Alert>({
      noun: 'alert',
      pointer: `${endpoint.pointer}/alerts`,
      parent: endpoint.path,
      declared: endpoint.declared.alerts ?? [],
      present: endpoint.present ? (ofEndpoint.get(endpoint.id) ?? []) : [],
      likenessOfDeclared: (alert) =>
        alert.contact === undefined ? likeness('type', alert.type ?? '') : likeness('contact', contactOf(alert) ?? ''),
      likenessOfPresent: ({ type, contactId }) =>
        contactId === null ? likeness('type', type) : likeness('contact', contactId),
    }).map((found) => ({ ...found, endpoint, contactId: contactOf(found.declared) }));
  const alerts = await turns.all(steps(endpoints, alertsOf));
  const windows = among<DeclaredWindow, WindowRow>({
    noun: 'maintenance window',
    pointer: '/maintenance_windows',
    parent: '',
    declared: document.maintenance_windows ?? [],
    present: state.windows,
    likenessOfDeclared: ({ name }) => name.trim(),
    likenessOfPresent: ({ name }) => name,
  });
  const pages = among<DeclaredStatusPage, PresentPage>({
    noun: 'status page',
    pointer: '/status_pages',
    parent: '',
    declared: document.status_pages ?? [],
    present: state.pages.filter((page) => page.website_id === null),
    likenessOfDeclared: ({ title }) => title.trim(),
    likenessOfPresent: ({ title }) => title ?? '',
  });
  return { contacts, probes, websites, endpoints, alerts, windows, pages };
}

function* steps<Item, Result>(items: readonly Item[], work: (item: Item) => Result[]): Iterable<Result[]> {
  for (const item of items) yield work(item);
}

function noted<Declared, Present>(
  { matches, notes, taken }: Matched<Declared, Present>,
  findings: PlanFindings,
): Match<Declared, Present>[] {
  findings.notes.push(...notes);
  findings.addTaken(taken);
  return matches;
}

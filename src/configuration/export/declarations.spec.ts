import { Alert } from '../../alert/alert.entity';
import { Contact } from '../../contact/contact.entity';
import { DEFAULT_SETTINGS } from '../../endpoint/endpoint.entity';
import type { WindowRow } from '../../maintenance/window-row';
import type { Website } from '../../website/website.entity';
import { Declarations, type ExportedConfigs } from './declarations';
import type { ExportedEndpoint } from './declared-endpoint';
import { DocumentWriter } from './document-writer';
import { JsonLayout } from './layout';
import type { EndpointRows, ExportedRows, ListedEndpoint, PageRow } from './rows';
import { withoutDefaults } from './without-defaults';

const NOW = new Date('2026-11-20T09:00:00Z');
const unowned = { externalKey: null, owner: null };

const website = (id: string, more: Partial<Website> = {}): Website => ({
  id,
  orgId: 'org',
  name: id,
  url: `https://${id}.example.com/`,
  enabled: true,
  tags: [],
  pingKey: '',
  ...unowned,
  createdAt: NOW,
  updatedAt: NOW,
  deletedAt: null,
  ...more,
});
const listed = (id: string, websiteId: string, more: Partial<ListedEndpoint> = {}): ListedEndpoint => ({
  id,
  websiteId,
  name: id,
  likeness: 'x',
  ...unowned,
  ...more,
});
const contact = (id: string, more: Partial<Contact> = {}): Contact =>
  Object.assign(new Contact(), { id, name: id, type: 'slack', isDefault: false, defaults: {}, ...unowned, ...more });
const alert = (id: string, more: Partial<Alert>): Alert =>
  Object.assign(new Alert(), {
    id,
    type: 'slack',
    enabled: true,
    condition: 'down',
    failureThreshold: 3,
    successThreshold: 2,
    sendOnResolved: true,
    afterSeconds: 0,
    remindEverySeconds: null,
    description: '',
    config: null,
    ...unowned,
    ...more,
  });
const window = (id: string, more: Partial<WindowRow>): WindowRow => ({
  id,
  orgId: 'org',
  name: id,
  description: '',
  scopeId: id,
  mute: true,
  excludeFromUptime: true,
  public: true,
  createdBy: null,
  createdById: null,
  createdAt: NOW,
  updatedAt: NOW,
  listedAt: NOW,
  activeUntil: null,
  ...unowned,
  startsAt: null,
  endsAt: null,
  cron: '0 2 * * *',
  timezone: 'UTC',
  durationSeconds: 3600,
  coversAll: true,
  websiteIds: [],
  endpointIds: [],
  tags: [],
  ...more,
});
const page = (id: string, more: Partial<PageRow>): PageRow => ({
  id,
  website_id: null,
  slug: id,
  enabled: false,
  title: id,
  description: '',
  accent: null,
  logo_hash: null,
  domain: null,
  down_after_minutes: null,
  indexed: true,
  support_url: null,
  groups: [],
  external_key: null,
  updated_at: NOW,
  ...unowned,
  ...more,
});
const endpoint = (id: string, dependsOn: readonly string[] = []): ExportedEndpoint => ({
  ...DEFAULT_SETTINGS,
  id,
  name: id,
  type: 'TCP',
  url: 'example.com:1',
  dependsOn,
});

/** Decrypts nothing, so encrypted configs can't be read. */
const UNREADABLE = { ofContact: () => null, ofAlert: () => null } as unknown as ExportedConfigs;

const declarations = (rows: Partial<ExportedRows>, owner?: string): Declarations =>
  new Declarations(
    owner,
    NOW,
    { contacts: [], probes: [], websites: [], endpoints: [], windows: [], pages: [], ...rows },
    UNREADABLE,
    { role: 'read', chosen: withoutDefaults },
  );

/** Declares everything once and returns the notes. */
function notesOf(
  rows: Partial<ExportedRows>,
  owner?: string,
  details: readonly EndpointRows[] = [],
): readonly string[] {
  const declared = declarations(rows, owner);
  declared.contacts();
  void [...declared.websites()];
  details.forEach((one) => declared.endpoint(one));
  declared.windows();
  declared.pages();
  return declared.notes.lines;
}

const past = { cron: null, timezone: null, durationSeconds: null, startsAt: new Date('2026-11-01'), endsAt: NOW };
const running = { ...past, endsAt: new Date('2026-12-01'), activeUntil: new Date('2026-12-01') };

describe('the omissions that an export reports', () => {
  it.each<[what: string, rows: Partial<ExportedRows>, owner: string | undefined, notes: RegExp[]]>([
    ['nothing of what is whole', { websites: [website('shop')], windows: [window('nightly', {})] }, undefined, []],
    ['a config that cannot be read', { contacts: [contact('chat')] }, undefined, [/^The config .*: chat$/]],
    [
      'a window that is over',
      { windows: [window('old', past)] },
      undefined,
      [/^Left out, because they have ended: old$/],
    ],
    ['one that runs', { windows: [window('now', running)] }, undefined, [/^Already started; .*: now$/]],
    [
      'a window for a deleted resource',
      { windows: [window('of-nothing', { coversAll: false, websiteIds: ['gone'] })] },
      undefined,
      [/^Left out, because nothing that they cover exists anymore: of-nothing$/],
    ],
    ['a logo', { pages: [page('all', { logo_hash: 'x' })] }, undefined, [/^The logo is not exported: all$/]],
    [
      'settings of the page of a website',
      {
        websites: [website('shop')],
        pages: [page('p', { website_id: 'shop', title: null, groups: null, accent: '#123456' })],
      },
      undefined,
      [/^The status page has more settings .*: shop$/],
    ],
    [
      'similar resources without a key',
      {
        websites: [website('shop')],
        endpoints: [
          listed('1', 'shop', { name: 'Front' }),
          listed('2', 'shop', { name: 'Front' }),
          listed('3', 'shop', { name: 'Front', likeness: 'y' }),
        ],
      },
      undefined,
      [/^They have no key and are similar to each other; .*: shop\/front, shop\/front-2$/],
    ],
    [
      'an endpoint of the owner in a website of another',
      { websites: [website('shop', { owner: 'b' })], endpoints: [listed('front', 'shop', { owner: 'a' })] },
      'a',
      [/^Left out, because their website .*: shop\/front$/],
    ],
    [
      'a reference of the owner to a resource without a key',
      {
        websites: [website('shop')],
        windows: [window('patch', { coversAll: false, websiteIds: ['shop'], owner: 'a' })],
      },
      'a',
      [/^Referenced, but not declared here and without a key; .*: shop$/],
    ],
    [
      'no reference to a resource with a key',
      {
        websites: [website('shop', { externalKey: 'shop' })],
        windows: [window('patch', { coversAll: false, websiteIds: ['shop'], owner: 'a' })],
      },
      'a',
      [],
    ],
  ])('contain %s', (_, rows, owner, notes) => {
    expect(notesOf(rows, owner)).toEqual(notes.map((note) => expect.stringMatching(note) as string));
  });

  it('contain two alerts of an endpoint through one contact, which a plan cannot distinguish', () => {
    const rows = { contacts: [contact('chat')], websites: [website('shop')], endpoints: [listed('front', 'shop')] };
    const alerts = ['1', '2'].map((id) => alert(id, { contactId: 'chat' }));
    expect(notesOf(rows, undefined, [{ endpoint: endpoint('front'), alerts }]).at(-1)).toMatch(
      /^They have no key and are similar to each other; .*: shop\/front\/chat, shop\/front\/chat-2$/,
    );
  });
});

describe('an exported alert', () => {
  const rows = {
    contacts: [contact('chat', { defaults: { failure_threshold: 5, remind_every: 3600, after: 60 } })],
    websites: [website('shop')],
    endpoints: [listed('front', 'shop')],
  };
  it.each<[what: string, more: Partial<Alert>, declared: object]>([
    [
      'leaves out the initial values of the contact',
      { failureThreshold: 5, remindEverySeconds: 3600, afterSeconds: 60 },
      {},
    ],
    [
      'contains values that differ from the initial values of the contact',
      {},
      { failure_threshold: 3, after: 0, remind_every: null },
    ],
  ])('%s', (_, more, declared) => {
    const alerts = [alert('1', { contactId: 'chat', ...more })];
    expect(declarations(rows).endpoint({ endpoint: endpoint('front'), alerts }).alerts).toEqual([
      { key: 'chat', contact: 'chat', ...declared },
    ]);
  });

  it('is left out if its contact was created after the export started', () => {
    const alerts = [alert('1', { contactId: 'newer' })];
    expect(declarations(rows).endpoint({ endpoint: endpoint('front'), alerts }).alerts).toEqual([]);
  });
});

describe('the text of an export', () => {
  it('has at most 32 MiB', async () => {
    const large = { ...endpoint('front'), headers: [{ key: 'Accept', value: 'x'.repeat(1024 * 1024) }] };
    const ids = Array.from({ length: 40 }, (_, i) => `front-${i}`);
    const rows = { websites: [website('shop')], endpoints: ids.map((id) => listed(id, 'shop')) };
    async function* read(): AsyncGenerator<EndpointRows> {
      for (const id of ids) yield await Promise.resolve({ endpoint: { ...large, id }, alerts: [] });
    }
    const writer = new DocumentWriter(new JsonLayout(), declarations(rows));
    await expect(writer.write(read)).rejects.toMatchObject({ code: 'conflict' });
  });
});

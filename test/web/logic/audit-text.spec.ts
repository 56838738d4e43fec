import type { AuditEntry } from '../../../web/src/api/types';
import { authorOf, changesOf, sentenceOf } from '../../../web/src/logic/audit-text';

const by = (more: Partial<AuditEntry['author']>): AuditEntry['author'] => ({
  via: 'password',
  key_id: null,
  key_name: null,
  person_id: null,
  person_name: null,
  ip: '203.0.113.7',
  ...more,
});

const entry = (more: Partial<AuditEntry>): AuditEntry => ({
  id: 'au_1',
  created_at: '2026-11-20T10:00:00.000Z',
  action: 'update',
  resource: 'endpoint',
  resource_id: 'ep_1',
  changed: [],
  before: null,
  after: null,
  author: by({ via: 'api_key', key_id: 'key_1', key_name: 'Terraform' }),
  request_id: null,
  ...more,
});

describe('an entry of the audit log in words', () => {
  it.each<[Partial<AuditEntry>, string]>([
    [{ action: 'create', after: { name: 'Checkout' } }, 'Created endpoint “Checkout”'],
    [{ action: 'delete', resource: 'api_key', before: { name: 'CI' } }, 'Deleted API key “CI”'],
    [{ changed: ['interval', 'follow_redirects'] }, 'Changed endpoint: interval, follow redirects'],
    [{ changed: ['name'], before: { name: 'A' }, after: { name: 'B' } }, 'Changed endpoint “B”: name'],
    [{ action: 'create', resource: 'alert', after: { type: 'slack', description: '' } }, 'Created alert “slack”'],
    [
      { resource: 'contact', changed: ['config'], after: { name: 'Operations' } },
      'Changed contact “Operations”: config',
    ],
    [
      { resource: 'alert', changed: ['contact_id', 'after', 'remind_every'], after: { type: 'slack' } },
      'Changed alert “slack”: contact, delay, reminders every',
    ],
    [{ action: 'sign_in_failed', resource: 'session' }, 'Failed to sign in'],
  ])('%j: %s', (more, expected) => {
    expect(sentenceOf(entry(more))).toBe(expected);
  });

  it('names a resource that the entry does not name, and the endpoint of an alert', () => {
    const names: Record<string, string> = { ct_1: 'Team', ep_1: 'Checkout' };
    const nameOf = (id: string) => names[id];
    const tested = entry({ action: 'test', resource: 'contact', resource_id: 'ct_1' });
    expect(sentenceOf(tested, nameOf)).toBe('Tested contact “Team”');
    expect(sentenceOf(entry({ action: 'check' }), nameOf)).toBe('Checked endpoint “Checkout”');
    expect(sentenceOf(entry({ action: 'check', resource_id: 'ep_gone' }), nameOf)).toBe('Checked endpoint');
    const made = { action: 'create', resource: 'alert', after: { type: 'slack', endpoint_id: 'ep_1' } } as const;
    expect(sentenceOf(entry({ ...made, resource_id: 'al_1' }), nameOf)).toBe('Created alert “slack” of Checkout');
  });

  it.each<[string, Partial<AuditEntry>]>([
    ['Invited a member as write', { action: 'create', resource: 'invitation', after: { role: 'write' } }],
    ['Revoked an invitation', { action: 'delete', resource: 'invitation', before: { role: 'write' } }],
    ['Bo joined as read', { action: 'create', resource_id: 'per_bo', after: { role: 'read' } }],
    ['Someone joined as read', { action: 'create', resource_id: 'per_gone', after: { role: 'read' } }],
    [
      'Bo now has the role admin',
      { resource_id: 'per_bo', changed: ['role'], before: { role: 'read' }, after: { role: 'admin' } },
    ],
    ['Created a password link for Bo', { resource_id: 'per_bo', changed: ['password_link'], before: {}, after: {} }],
    ['Changed the account of Bo: name', { resource_id: 'per_bo', changed: ['name'], before: {}, after: {} }],
    ['Someone was removed', { action: 'delete', resource_id: 'per_gone', before: { role: 'read' } }],
    [
      'Someone left',
      {
        action: 'delete',
        resource_id: 'per_gone',
        before: { role: 'read' },
        author: by({ person_id: 'per_gone', person_name: 'deleted person' }),
      },
    ],
    ['Signed in', { action: 'sign_in', resource_id: 'per_bo' }],
  ])('%s: %j', (expected, more) => {
    const nameOf = (id: string) => (id === 'per_bo' ? 'Bo' : undefined);
    expect(sentenceOf(entry({ resource: 'person', ...more }), nameOf)).toBe(expected);
  });

  it.each<[Partial<AuditEntry['author']>, string]>([
    [{ via: 'session', key_id: 'key_1', key_name: 'Ann' }, 'dashboard, key Ann, 203.0.113.7'],
    [{ via: 'operator', ip: null }, 'operator'],
    [{ via: 'password', person_id: 'per_1', person_name: 'Ada' }, 'Ada, 203.0.113.7'],
    [{ via: 'session', person_id: 'per_1', person_name: 'Ada' }, 'Ada, 203.0.113.7'],
    [{ via: 'single_sign_on', person_id: 'per_1', person_name: 'Ada', ip: null }, 'Ada by single sign-on'],
    [
      { via: 'invitation', person_id: 'per_1', person_name: 'deleted person', ip: null },
      'deleted person by invitation',
    ],
  ])('%j: %s', (author, expected) => {
    expect(authorOf(by(author))).toBe(expected);
  });

  it('shows each setting with its value before and after', () => {
    const changed = entry({ before: { interval: 60, tags: ['a'] }, after: { interval: 30 } });
    expect(changesOf(changed)).toEqual([
      { name: 'interval', from: '60', to: '30' },
      { name: 'tags', from: '["a"]', to: null },
    ]);
    const reminded = entry({ before: { after: 0, remind_every: null }, after: { after: 600, remind_every: 5400 } });
    expect(changesOf(reminded)).toEqual([
      { name: 'delay', from: '0 s', to: '10 min' },
      { name: 'reminders every', from: 'null', to: '1 h 30 min' },
    ]);
    expect(changesOf(entry({ action: 'sign_in', resource: 'session' }))).toEqual([]);
  });
});

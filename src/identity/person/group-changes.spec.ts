import type { Role } from '../../platform/access/permissions';
import { changesOf, type HeldMembership } from './group-changes';
import type { MembershipSource } from './person-row';

const held = (text: string): HeldMembership[] =>
  text.split(', ').flatMap((one) => {
    const [orgId = '', role = '', source = ''] = one.split(' ');
    return orgId === '' ? [] : [{ orgId, role: role as Role, source: source as MembershipSource }];
  });

const changes = (has: string, granted: Readonly<Record<string, Role>>): string =>
  changesOf(held(has), new Map(Object.entries(granted)))
    .map(({ orgId, before, after }) => `${orgId}: ${before} to ${after}`)
    .join(', ');

describe('memberships by groups', () => {
  it.each<[string, string, Record<string, Role>, string]>([
    ['begin', '', { b: 'read', a: 'admin' }, 'a: null to admin, b: null to read'],
    ['end', 'a admin groups', {}, 'a: admin to null'],
    ['get another role', 'a admin groups', { a: 'read' }, 'a: admin to read'],
    ['stay as they are', 'a read groups', { a: 'read' }, ''],
    ['keep memberships that started with an invitation', 'a read invited, b read invited', { a: 'admin' }, ''],
    [
      'change in the order of the organizations',
      'b read groups',
      { c: 'read', a: 'read' },
      'a: null to read, b: read to null, c: null to read',
    ],
  ])('%s', (_, has, granted, expected) => {
    expect(changes(has, granted)).toBe(expected);
  });
});

import { contactPlan, planText, sharesOf, type Wanted } from '../../../web/src/logic/bulk-contacts';

const rule = (id: string, endpoint_id: string, contact_id: string | null) => ({ id, endpoint_id, contact_id });
const RULES = [
  rule('r1', 'a', 'mail'),
  rule('r2', 'b', 'mail'),
  rule('r3', 'b', 'pager'),
  rule('r4', 'c', null),
  rule('r5', 'other', 'pager'),
];
const IDS = ['a', 'b', 'c'];
const wanted = (contacts: Wanted['contacts'], replace: Wanted['replace'] = null): Wanted => ({ contacts, replace });
const planned = (of: Wanted, ids = IDS) => {
  const { add, changes } = contactPlan(RULES, ids, of);
  return [
    ...add.map(({ contactId, endpointIds }) => `add ${contactId} to ${endpointIds.join('+')}`),
    ...[...changes.values()].flatMap(({ move, remove }) => [
      ...move.map(({ id, to }) => `move ${id} to ${to}`),
      ...remove.map((id) => `delete ${id}`),
    ]),
  ];
};

describe('the contacts of several endpoints', () => {
  it('shows whether all, some, or none of them have a contact', () => {
    const contacts = ['mail', 'pager', 'chat'].map((id) => ({ id, name: id }));
    expect(sharesOf(contacts, RULES, ['a', 'b']).map(({ endpoints, share }) => [endpoints, share])).toEqual([
      [2, 'all'],
      [1, 'some'],
      [0, 'none'],
    ]);
  });

  it.each<[string, Wanted, string[]]>([
    ['nothing chosen changes nothing', wanted({}), []],
    ['added only where it is missing', wanted({ mail: true }), ['add mail to c']],
    ['removed from all, but not from others', wanted({ pager: false }), ['delete r3']],
    ['replaced', wanted({}, { from: 'mail', to: 'chat' }), ['move r1 to chat', 'move r2 to chat']],
    [
      'replaced by one that an endpoint already has: its rule is deleted',
      wanted({}, { from: 'mail', to: 'pager' }),
      ['move r1 to pager', 'delete r2'],
    ],
    [
      'replaced and added everywhere else',
      wanted({ pager: true }, { from: 'mail', to: 'pager' }),
      ['add pager to c', 'move r1 to pager', 'delete r2'],
    ],
  ])('are %s', (_, of, expected) => {
    expect(planned(of)).toEqual(expected);
  });

  it('are described before they change', () => {
    const text = (of: Wanted) => planText(contactPlan(RULES, IDS, of));
    expect(text(wanted({}))).toBe('Nothing changes.');
    expect(text(wanted({ mail: true, pager: false }))).toBe('This adds 1 alert rule and deletes 1 alert rule.');
    expect(text(wanted({}, { from: 'mail', to: 'chat' }))).toBe('This replaces the contact of 2 alert rules.');
  });
});

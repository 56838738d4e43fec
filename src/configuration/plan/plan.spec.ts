import { EMPTY_PLAN, type Plan, type PlannedAction, weightOf } from './plan';

const planned = (action: PlannedAction, dto: object | null = {}, ...pointers: string[]) => ({
  action,
  path: 'a',
  id: 'a',
  fields: pointers.map((pointer) => ({ pointer, before: null, after: null })),
  dto,
  isToBeOwned: false,
});
const planOf = (lists: object): Plan => ({ ...EMPTY_PLAN, ...lists });

describe('weightOf', () => {
  it.each([
    ['nothing', {}, 0],
    ['unchanged resources', { endpoints: [planned('unchanged', null)], windows: [planned('unchanged', null)] }, 0],
    ['endpoints and alerts once', { endpoints: [planned('update')], alerts: [planned('create')] }, 2],
    ['contacts and websites once', { contacts: [planned('update')], websites: [planned('create')] }, 2],
    ['a contact that notifies elsewhere several times', { contacts: [planned('update', {}, '/config')] }, 4],
    ['a website that is paused several times', { websites: [planned('adopt', {}, '/enabled')] }, 4],
    ['a window several times, for its occurrences', { windows: [planned('create')] }, 4],
    ['no resource that only gets an owner', { websites: [planned('adopt', null)] }, 0],
    [
      'deleted endpoints once, other deleted resources several times',
      {
        deletions: [
          { resource: 'endpoint', path: 'a', id: 'a', isImplied: false },
          { resource: 'alert', path: 'a/b', id: 'b', isImplied: true },
          { resource: 'website', path: 'c', id: 'c', isImplied: false },
        ],
      },
      5,
    ],
  ])('counts %s', (_, lists, weight) => {
    expect(weightOf(planOf(lists))).toBe(weight);
  });
});

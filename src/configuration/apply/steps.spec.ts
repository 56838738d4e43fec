import { EMPTY_PLAN, type Plan, type PlannedAction } from '../plan/plan';
import { weightOf } from './steps';

const planned = (action: PlannedAction, dto: object | null = {}) => ({
  action,
  path: 'a',
  id: 'a',
  fields: [],
  dto,
  isToBeOwned: false,
});
const planOf = (lists: object): Plan => ({ ...EMPTY_PLAN, ...lists });

describe('weightOf', () => {
  it.each([
    ['nothing', {}, 0],
    ['what stays', { endpoints: [planned('unchanged', null)], windows: [planned('unchanged', null)] }, 0],
    ['endpoints and alerts once', { endpoints: [planned('update')], alerts: [planned('create')] }, 2],
    ['what is written one by one several times', { contacts: [planned('update')], websites: [planned('create')] }, 8],
    ['what only gets an owner not', { websites: [planned('adopt', null)] }, 0],
    [
      'what goes by itself once',
      {
        deletions: [
          { resource: 'endpoint', path: 'a', id: 'a', isImplied: false },
          { resource: 'alert', path: 'a/b', id: 'b', isImplied: true },
        ],
      },
      1,
    ],
  ])('counts %s', (_, lists, weight) => {
    expect(weightOf(planOf(lists))).toBe(weight);
  });
});

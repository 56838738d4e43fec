import { type Demand, refusalOfDemands } from './demands';

const demand = (limit: number | null, used: number, ...amounts: number[]): Demand => ({
  name: 'websites',
  what: 'websites',
  limit,
  used,
  asked: amounts.map((amount, at) => ({ pointer: `/websites/${at}`, amount })),
});
const refused = (...demands: Demand[]) => refusalOfDemands(demands, () => 7)?.errors.map(({ pointer }) => pointer);

describe('room for a plan', () => {
  it.each<[string, Demand, string[] | undefined]>([
    ['without a limit', demand(null, 5, 1, 1), undefined],
    ['up to the limit', demand(3, 1, 1, 1), undefined],
    ['not beyond it, at the first that is too much', demand(3, 1, 1, 1, 1), ['/websites/2']],
    ['not where there is too much already', demand(3, 5, 1), ['/websites/0']],
    ['for nothing, even where there is too much already', demand(3, 5), undefined],
    ['for less than before, even where there is too much already', demand(3, 5, 1, -2), undefined],
    ['for what others make room for', demand(3, 3, 1, -1), undefined],
  ])('exists %s', (_, asked, pointers) => {
    expect(refused(asked)).toEqual(pointers);
  });

  it('is refused at the first of several limits, with its line', () => {
    const problem = refusalOfDemands([demand(9, 1, 1), demand(3, 3, 1), demand(1, 1, 1)], () => 7);
    expect(problem).toMatchObject({
      code: 'quota_exceeded',
      quota: { name: 'websites', limit: 3, used: 3 },
      errors: [{ pointer: '/websites/0', code: 'over_quota', line: 7 }],
    });
  });
});

import { arranged } from './page-groups';

const endpoint = (id: string, websiteId = 'w') => ({ id, websiteId });
const placesOf = (...parameters: Parameters<typeof arranged>): string[] =>
  arranged(...parameters).map(({ group, endpoint: { id } }) => `${group}: ${id}`);

describe('the endpoints of a page', () => {
  it('are in the order of the groups and of their IDs, not in the order of the database', () => {
    const groups = [
      { name: 'Shop', endpoints: ['b', 'a'], websites: [] },
      { name: 'Mail', endpoints: ['c'], websites: [] },
    ];
    expect(placesOf(groups, [endpoint('a'), endpoint('b'), endpoint('c')])).toEqual(['Shop: b', 'Shop: a', 'Mail: c']);
  });

  it('of a whole website follow the individually named endpoints', () => {
    const groups = [{ name: 'All', endpoints: ['z'], websites: ['w2', 'w1'] }];
    const endpoints = [endpoint('a', 'w1'), endpoint('b', 'w2'), endpoint('z', 'w1')];
    expect(placesOf(groups, endpoints)).toEqual(['All: z', 'All: b', 'All: a']);
  });

  it('are shown once, individually rather than with their website, otherwise in the first group', () => {
    const groups = [
      { name: 'Website', endpoints: [], websites: ['w'] },
      { name: 'Core', endpoints: ['a'], websites: ['w'] },
      { name: 'Again', endpoints: ['a'], websites: [] },
    ];
    expect(placesOf(groups, [endpoint('a'), endpoint('b')])).toEqual(['Website: b', 'Core: a']);
  });

  it('are left out if they were deleted, together with their empty group', () => {
    const groups = [
      { name: 'Gone', endpoints: ['x'], websites: ['y'] },
      { name: 'Here', endpoints: ['a'], websites: [] },
    ];
    expect(placesOf(groups, [endpoint('a')])).toEqual(['Here: a']);
  });
});

import { formatId, newUuid } from '../../platform/ids/id';
import { membershipsOf, organizationsIn } from './group-rules';

const MAIN = { id: newUuid(), name: 'Default' };
const SHOP = { id: newUuid(), name: 'Shop: a=b' };
const TWINS = [
  { id: newUuid(), name: 'Twin' },
  { id: newUuid(), name: 'Twin' },
];
const ALL = [MAIN, SHOP, ...TWINS];
const NAMES = new Map(ALL.map(({ id, name }) => [id, name]));

const given = (groups: readonly string[], rules: string) => {
  const { roles, isOperator, skipped } = membershipsOf(groups, rules.split(','), ALL);
  const read = [...roles].map(([id, role]) => `${NAMES.get(id)} ${role}`);
  return [...read, ...(isOperator ? ['operator'] : []), ...skipped.map((rule) => `skipped ${rule}`)].join(', ');
};

describe('the groups of a user', () => {
  it.each<[string, string[], string, string]>([
    ['with the exact name give the role', ['ops'], 'ops=Default:admin', 'Default admin'],
    ['with another name give nothing', ['Ops', 'ops2', ''], 'ops=Default:admin', ''],
    ['with the prefix give the role', ['shop-eu'], 'shop-*=Shop: a=b:write', 'Shop: a=b write'],
    ['that are only the prefix also give the role', ['shop-'], 'shop-*=Default:read', 'Default read'],
    ['are not needed by a rule for everyone', [], '*=Default:read', 'Default read'],
    [
      'give the highest of several roles',
      ['b', 'a', 'c'],
      'a=Default:admin,b=Default:read,c=Default:write',
      'Default admin',
    ],
    ['give a responder more than a reader', ['a'], 'a=Default:responder,*=Default:read', 'Default responder'],
    ['give the role in any order of the rules', ['a'], '*=Default:write,a=Default:read', 'Default write'],
    [
      'give a place in several organizations',
      ['a'],
      'a=Default:read,a=Shop: a=b:write',
      'Default read, Shop: a=b write',
    ],
    ['make the user an operator', ['root'], 'root=operator', 'operator'],
    ['name an organization by its id', ['a'], `a=${formatId('organization', SHOP.id)}:read`, 'Shop: a=b read'],
    ['skip what names no organization', ['a'], 'a=Gone:admin,a=Default:read', 'Default read, skipped a=Gone:admin'],
    ['skip what names two organizations', ['a'], 'a=Twin:admin', 'skipped a=Twin:admin'],
    ['say nothing of rules for others', ['b'], 'a=Gone:admin', ''],
    ['that are empty give what everyone has', [], 'a=Default:admin,b*=operator,*=Default:read', 'Default read'],
  ])('%s', (_, groups, rules, expected) => {
    expect(given(groups, rules)).toBe(expected);
  });

  it('load the organizations that rules name, by name or by ID', () => {
    const id = formatId('organization', SHOP.id);
    expect(organizationsIn(['a=Default:admin', `b=${id}:read`, 'root=operator'])).toEqual({
      names: ['Default', id],
      ids: [SHOP.id],
    });
  });
});

import { type Role, ROLES } from '../../platform/access/permissions';
import { GROUP_RULE } from '../../platform/config/config-rules';
import { parseId } from '../../platform/ids/id';

/** A parsed rule from `GROUP_ROLES`. */
interface GroupRule {
  text: string;
  /** The name or the prefix of a group. */
  group: string;
  isBeginning: boolean;
  /** An organization (name or ID) with a role, or operator rights. */
  gives: { organization: string; role: Role } | 'operator';
}

/** An organization that rules may name. `id` is a UUID. */
export interface NamedOrganization {
  id: string;
  name: string;
}

/** The rights that a person has through their groups. */
export interface GrantedByGroups {
  /** The role in each organization (UUID). */
  roles: ReadonlyMap<string, Role>;
  isOperator: boolean;
  /** Matching rules that name an unknown organization, or a name that two organizations share. */
  skipped: readonly string[];
}

/**
 * Returns the rights that `GROUP_ROLES` grants to members of these groups, with the highest role for each organization.
 */
export function membershipsOf(
  groups: readonly string[],
  rules: readonly string[],
  organizations: readonly NamedOrganization[],
): GrantedByGroups {
  const roles = new Map<string, Role>();
  const skipped: string[] = [];
  let isOperator = false;
  for (const { text, gives } of rules.flatMap(readRule).filter((rule) => holdsFor(rule, groups))) {
    if (gives === 'operator') {
      isOperator = true;
      continue;
    }
    const [found, ...others] = organizations.filter((one) => isNamed(one, gives.organization));
    if (!found || others.length > 0) skipped.push(text);
    else roles.set(found.id, higher(roles.get(found.id), gives.role));
  }
  return { roles, isOperator, skipped };
}

/** Returns the names and IDs (UUIDs) of the organizations in the rules. `membershipsOf` needs them. */
export function organizationsIn(rules: readonly string[]): { names: string[]; ids: string[] } {
  const named = rules.flatMap(readRule).flatMap(({ gives }) => (gives === 'operator' ? [] : [gives.organization]));
  return { names: named, ids: named.flatMap((name) => parseId('organization', name) ?? []) };
}

function readRule(text: string): GroupRule[] {
  const { group = '', star, organization = '', role } = GROUP_RULE.exec(text)?.groups ?? {};
  const known = ROLES.find((one) => one === role);
  if (star === undefined) return [];
  return [{ text, group, isBeginning: star === '*', gives: known ? { organization, role: known } : 'operator' }];
}

function holdsFor({ group, isBeginning }: GroupRule, groups: readonly string[]): boolean {
  if (isBeginning && group === '') return true;
  return groups.some((one) => (isBeginning ? one.startsWith(group) : one === group));
}

const isNamed = ({ id, name }: NamedOrganization, text: string): boolean =>
  name === text || id === parseId('organization', text);

const higher = (a: Role | undefined, b: Role): Role => (a !== undefined && ROLES.indexOf(a) > ROLES.indexOf(b) ? a : b);

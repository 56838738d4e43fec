import type { OrganizationView } from '../../../src/identity/organization/organization.dto';
import type { OrganizationService } from '../../../src/identity/organization/organization.service';
import { StartError } from '../../../src/platform/config/start-error';
import { parseId } from '../../../src/platform/ids/id';

/** Finds an organization by ID or name. Throws: `StartError` if none matches, or if several share this name. */
export async function findOrganization(organizations: OrganizationService, wanted: string): Promise<OrganizationView> {
  const all = await everyOrganization(organizations);
  const found = all.filter(({ id, name }) => id === wanted || name === wanted);
  const [first, second] = found;
  if (!first) {
    const names = all.map(({ name }) => name).slice(0, 20);
    const known =
      names.length > 0
        ? `The organizations are: ${names.join(', ')}.`
        : 'No organization exists yet. Start the service once to create the first one.';
    throw new StartError(`No organization has the name or ID ${wanted}. ${known}`);
  }
  if (second)
    throw new StartError(
      `Several organizations are called ${wanted}. Use the ID of one of them: ${found.map(({ id }) => id).join(', ')}.`,
    );
  return first;
}

export async function everyOrganization(organizations: OrganizationService): Promise<OrganizationView[]> {
  const all: OrganizationView[] = [];
  for await (const each of pages((cursor) => organizations.list({ cursor }))) all.push(each);
  return all;
}

/** Yields every item in a list, page by page. */
export async function* pages<T>(
  read: (cursor: string | undefined) => Promise<{ items: readonly T[]; nextCursor: string | null }>,
): AsyncGenerator<T> {
  for (let cursor: string | undefined; ;) {
    const { items, nextCursor } = await read(cursor);
    yield* items;
    if (nextCursor === null) return;
    cursor = nextCursor;
  }
}

/** Returns the UUID behind an organization ID that the service returned. */
export function uuidOf({ id }: Pick<OrganizationView, 'id'>): string {
  const uuid = parseId('organization', id);
  if (uuid === null) throw new Error(`${id} is not the ID of an organization`);
  return uuid;
}

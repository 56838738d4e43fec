import type { ServerSecrets } from '../secrets/server-secrets';
import { Cursors } from './cursors';
import type { Page } from './page';

const ALL = ['a', 'b', 'c', 'd', 'e'];

describe('Cursors', () => {
  const cursors = new Cursors({ get: () => Buffer.alloc(32, 1) } as unknown as ServerSecrets);
  const asked: [string | null, number][] = [];

  const pageOf = (cursor?: string, list = 'letters', total?: () => number): Promise<Page<{ id: string }>> =>
    cursors.paginate({
      orgId: 'org-1',
      list,
      cursor,
      limit: 2,
      idOf: (row) => row.id,
      read: (after, count) => {
        asked.push([after, count]);
        const ids = ALL.filter((id) => after === null || id > after).slice(0, count);
        return Promise.resolve(ids.map((id) => ({ id })));
      },
      ...(total && { total }),
    });

  const idsOf = ({ items }: Page<{ id: string }>): string => items.map(({ id }) => id).join('');

  it('walks through a list page by page, reading one row more than a page has', async () => {
    const first = await pageOf();
    const second = await pageOf(first.nextCursor ?? '');
    const third = await pageOf(second.nextCursor ?? '');
    expect([first, second, third].map(idsOf)).toEqual(['ab', 'cd', 'e']);
    expect(third.nextCursor).toBeNull();
    expect(asked).toEqual([
      [null, 3],
      ['b', 3],
      ['d', 3],
    ]);
  });

  it('gives a page the total only if the list counts', async () => {
    expect((await pageOf(undefined, 'letters', () => 5)).total).toBe(5);
    expect((await pageOf()).total).toBeNull();
  });

  it.each([
    ['a damaged cursor', (cursor: string) => `x${cursor}`],
    ['an empty cursor', () => ''],
    ['a cursor with a third part', (cursor: string) => `${cursor}.x`],
  ])('refuses %s', async (_, damage) => {
    const { nextCursor } = await pageOf();
    await expect(pageOf(damage(nextCursor ?? ''))).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  it('reveals neither the value nor the length of a position', async () => {
    const [small, large] = ['7', '1234567890'].map((position) => cursors.encode('org-1', 'letters', position));
    expect(small).toHaveLength(large?.length ?? 0);
    expect(Buffer.from(large ?? '', 'base64url').toString('latin1')).not.toContain('567');
    expect(cursors.decode('org-1', 'letters', large)).toBe('1234567890');
  });

  it('refuses a cursor of another list or another organization', async () => {
    const { nextCursor } = await pageOf();
    await expect(pageOf(nextCursor ?? '', 'digits')).rejects.toMatchObject({ code: 'invalid_cursor' });
    expect(() => cursors.decode('org-2', 'letters', nextCursor ?? '')).toThrow(
      expect.objectContaining({ code: 'invalid_cursor' }) as Error,
    );
  });
});

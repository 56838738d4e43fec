import fc from 'fast-check';
import { formatId, ID_PREFIXES, type IdKind, newUuid, parseId } from './id';

const kinds = Object.keys(ID_PREFIXES) as IdKind[];

describe('public ids', () => {
  it('are parsed back to the UUIDs that they were created from', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.constantFrom(...kinds), (uuid, kind) => {
        const id = formatId(kind, uuid);
        expect(id).toMatch(/^[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
        expect(parseId(kind, id)).toBe(uuid);
      }),
    );
  });

  it('are created from UUIDs that sort by creation, even within one millisecond and when the clock steps back', () => {
    const made = [...Array.from({ length: 10_000 }, () => newUuid(1_700_000_000_000)), newUuid(1_600_000_000_000)];
    expect([...made].sort()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
    expect(made[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('of one kind are refused as IDs of another', () => {
    const uuid = newUuid();
    for (const kind of kinds)
      for (const other of kinds) expect(parseId(other, formatId(kind, uuid)) !== null).toBe(kind === other);
  });

  it.each([
    undefined,
    null,
    7,
    '',
    'ws_',
    'ws_0123',
    `ws_${'8'.repeat(26)}`,
    `ws_${'0'.repeat(25)}u`,
    `WS_${'0'.repeat(26)}`,
    `ws_${'0'.repeat(27)}`,
    `ws_${'0'.repeat(25)}O`,
  ])('parseId refuses %p', (text) => {
    expect(parseId('website', text)).toBeNull();
  });
});

import { requireMatch, underPrecondition, withoutPrecondition } from './precondition';

describe('the precondition of a request', () => {
  it('is checked by code that the request awaits, and by no other code', async () => {
    const seen: unknown[] = [];
    const work = underPrecondition(
      (stored) => void seen.push(stored.id),
      async () => {
        await Promise.resolve();
        requireMatch({ id: 'inside' });
      },
    );
    requireMatch({ id: 'beside' });
    await work;
    requireMatch({ id: 'after' });
    expect(seen).toEqual(['inside']);
  });

  it('refuses by throwing', async () => {
    const refuse = (): never => {
      throw new Error('stale');
    };
    await expect(underPrecondition(refuse, async () => requireMatch({ id: 'a' }))).rejects.toThrow('stale');
  });

  it('is not checked for other resources, and is checked again afterwards', async () => {
    const seen: unknown[] = [];
    await underPrecondition(
      (stored) => void seen.push(stored.id),
      async () => {
        await withoutPrecondition(async () => requireMatch({ id: 'another' }));
        requireMatch({ id: 'its own' });
      },
    );
    expect(seen).toEqual(['its own']);
  });
});

import { runAction, showToast, toasts } from '../../../web/src/state/toast';

describe('a temporary message', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => {
    jest.runAllTimers();
    jest.useRealTimers();
  });

  const isShownFor = (ms: number): boolean => {
    jest.advanceTimersByTime(ms - 1);
    const isShown = toasts.value.length === 1;
    jest.advanceTimersByTime(1);
    return isShown && toasts.value.length === 0;
  };

  it('stays five seconds, or nine for an error', () => {
    showToast('Saved.');
    expect(isShownFor(5000)).toBe(true);
    showToast('Not saved.', 'bad');
    expect(isShownFor(9000)).toBe(true);
  });

  it('can be undone for ten seconds', async () => {
    const undo = () => undefined;
    expect(await runAction(() => Promise.resolve(), 'Shop is paused.', undo)).toBe(true);
    expect(toasts.value).toMatchObject([{ text: 'Shop is paused.', undo }]);
    expect(isShownFor(10_000)).toBe(true);
  });

  it('offers no undo for a failure', async () => {
    expect(
      await runAction(
        () => Promise.reject(new Error('No.')),
        'Done.',
        () => undefined,
      ),
    ).toBe(false);
    expect(toasts.value).toMatchObject([{ text: 'No.', undo: null }]);
  });
});

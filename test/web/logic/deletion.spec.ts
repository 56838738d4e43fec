import { ApiProblem } from '../../../web/src/api/client';
import { deleteLater, deleteWaiting, present } from '../../../web/src/state/deletion';
import { toasts } from '../../../web/src/state/toast';

describe('a deletion with undo', () => {
  const sent: [path: string, isLeaving: boolean][] = [];
  const send = (path: string, isLeaving: boolean) => {
    sent.push([path, isLeaving]);
    return Promise.resolve();
  };
  let id = '';
  let number = 0;
  const later = (respond = send, then?: () => void) =>
    deleteLater([{ path: `/api/v1/endpoints/${id}`, name: 'Shop' }], 'Shop is deleted.', then, respond);
  const isShown = () => present([{ id }]).length === 1;

  beforeEach(() => {
    jest.useFakeTimers();
    sent.length = 0;
    id = `ep_${number++}`;
  });
  afterEach(() => {
    jest.runAllTimers();
    jest.useRealTimers();
  });

  it('leaves the page at once, is deleted after ten seconds, and stays away', async () => {
    const then = jest.fn();
    later(send, then);
    expect(isShown()).toBe(false);
    await jest.advanceTimersByTimeAsync(9_999);
    expect([sent, toasts.value.map(({ text }) => text)]).toEqual([[], ['Shop is deleted.']]);
    await jest.advanceTimersByTimeAsync(1);
    expect(sent).toEqual([[`/api/v1/endpoints/${id}`, false]]);
    expect([isShown(), toasts.value, then.mock.calls.length]).toEqual([false, [], 1]);
  });

  it('is undone, and nothing is sent', async () => {
    later();
    toasts.value[0]?.undo?.();
    expect(isShown()).toBe(true);
    await jest.advanceTimersByTimeAsync(20_000);
    await deleteWaiting();
    expect(sent).toEqual([]);
  });

  it('is deleted at once when the page is left, and once', async () => {
    later();
    await deleteWaiting(true);
    expect([sent, toasts.value]).toEqual([[[`/api/v1/endpoints/${id}`, true]], []]);
    await jest.advanceTimersByTimeAsync(20_000);
    expect(sent).toHaveLength(1);
  });

  it('comes back with the reason when the service refuses', async () => {
    later(() => Promise.reject(new ApiProblem(409, 'conflict', 'Alerts use it.')));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(isShown()).toBe(true);
    expect(toasts.value).toMatchObject([{ tone: 'bad', text: 'Shop was not deleted. Alerts use it.', undo: null }]);
  });

  it('succeeds if another user has deleted the resource in the meantime', async () => {
    later(() => Promise.reject(new ApiProblem(404, 'not_found', 'Not found.')));
    await jest.advanceTimersByTimeAsync(10_000);
    expect([isShown(), toasts.value]).toEqual([false, []]);
  });
});

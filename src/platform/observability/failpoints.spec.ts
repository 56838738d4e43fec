import { armFailpoints, failpoint } from './failpoints';

describe('failpoints', () => {
  afterEach(() => armFailpoints([]));

  it('do nothing unless armed', async () => {
    await expect(failpoint('outbox.after_send')).resolves.toBeUndefined();
  });

  it('throw where they are armed, and nowhere else', async () => {
    armFailpoints(['outbox.after_send=error']);
    await expect(failpoint('outbox.after_send')).rejects.toThrow('failpoint outbox.after_send');
    await expect(failpoint('outbox.after_send')).rejects.toThrow('failpoint outbox.after_send');
    await expect(failpoint('outbox.before_send')).resolves.toBeUndefined();
  });

  it('fail a single time when asked to', async () => {
    armFailpoints(['outbox.after_send=error:once', 'outbox.after_ack=error']);
    await expect(failpoint('outbox.after_send')).rejects.toThrow();
    await expect(failpoint('outbox.after_send')).resolves.toBeUndefined();
    await expect(failpoint('outbox.after_ack')).rejects.toThrow();
  });

  it.each(['outbox.after_send', 'outbox.after_send=explode', 'nowhere=kill', 'outbox.after_send=kill:twice'])(
    'refuse %s',
    (entry) => {
      expect(() => armFailpoints([entry])).toThrow(entry);
    },
  );

  it('refuse to exist in production', () => {
    expect(() => armFailpoints(['outbox.after_send=kill'], 'production')).toThrow('production');
    expect(() => armFailpoints([], 'production')).not.toThrow();
  });
});

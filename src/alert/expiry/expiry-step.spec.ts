import { expiryStep, type ExpiryFacts, stepAt } from './expiry-step';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const DAY = 86_400_000;
const inDays = (days: number) => new Date(NOW.getTime() + days * DAY);

describe('the warning step of a certificate', () => {
  it.each<[days: number, warnDays: number, step: number | null]>([
    [15, 14, null],
    [14, 14, 14],
    [8, 14, 14],
    [7, 14, 7],
    [4, 14, 7],
    [3, 14, 3],
    [1, 14, 1],
    [0, 14, 1],
    [-1, 14, null],
    [60, 90, 90],
    [5, 5, 5],
    [4, 5, 5],
    [3, 5, 3],
    [0, 0, 0],
    [1, 0, null],
    [7, 7, 7],
  ])('with %d days left, and warnings from %d days on, is %s', (days, warnDays, step) => {
    expect(stepAt(days, warnDays)).toBe(step);
  });
});

describe('a certificate that expires', () => {
  const FACTS: ExpiryFacts = {
    expiresAt: inDays(9.5),
    warnDays: 14,
    told: null,
    isSuppressed: false,
    triggeredAt: null,
    degradedSince: null,
  };
  const told = (days: number, step: number) => ({ expiresAt: inDays(days), step });

  it.each<[string, Partial<ExpiryFacts>, string]>([
    ['is reported', {}, 'sent at 14'],
    ['is reported once per step', { told: told(9.5, 14) }, 'nothing'],
    ['is reported again at the next step', { expiresAt: inDays(7.2), told: told(7.2, 14) }, 'sent at 7'],
    ['is reported at its current step, and not at missed steps', { expiresAt: inDays(2), told: null }, 'sent at 3'],
    ['is not reported before the first step', { expiresAt: inDays(15.5) }, 'nothing'],
    ['is not reported after it has expired, because then the check fails', { expiresAt: inDays(-0.1) }, 'nothing'],
    ['is reported if it replaced one that has expired', { told: told(-1, 1) }, 'sent at 14'],
    ['is reported if it is the first to expire behind one name', { told: told(12, 14) }, 'sent at 14'],
    ['waits if another one behind the same name expires first', { told: told(4, 7) }, 'nothing'],
    ['waits while it is suppressed', { isSuppressed: true }, 'later'],
    ['is known if the trigger has just reported it', { triggeredAt: inDays(-1) }, 'known at 14'],
    [
      'is reported if the trigger reported it at an earlier step',
      { expiresAt: inDays(6.5), triggeredAt: inDays(-6) },
      'sent at 7',
    ],
    ['waits for the trigger of an endpoint that has become degraded', { degradedSince: inDays(-0.01) }, 'later'],
    ['is reported if no trigger came', { degradedSince: inDays(-0.1) }, 'sent at 14'],
  ])('%s', (_, facts, expected) => {
    const step = expiryStep({ ...FACTS, ...facts }, NOW);
    expect('step' in step ? `${step.is} at ${step.step}` : step.is).toBe(expected);
  });
});

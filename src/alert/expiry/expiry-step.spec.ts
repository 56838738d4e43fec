import { expiryStep, type ExpiryFacts, stepAt } from './expiry-step';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const DAY = 86_400_000;
const inDays = (days: number) => new Date(NOW.getTime() + days * DAY);

describe('the step of a certificate', () => {
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
  ])('with %d days left, warned of from %d on, is %s', (days, warnDays, step) => {
    expect(stepAt(days, warnDays)).toBe(step);
  });
});

describe('a certificate that ends', () => {
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
    ['is told', {}, 'sent at 14'],
    ['is told once at a step', { told: told(9.5, 14) }, 'nothing'],
    ['is told again at the next step', { expiresAt: inDays(7.2), told: told(7.2, 14) }, 'sent at 7'],
    [
      'is told at the step that it is at, and at none that was missed',
      { expiresAt: inDays(2), told: null },
      'sent at 3',
    ],
    ['is not told before', { expiresAt: inDays(15.5) }, 'nothing'],
    ['is not told when it has ended: then the check fails', { expiresAt: inDays(-0.1) }, 'nothing'],
    ['that replaced one that has ended is told', { told: told(-1, 1) }, 'sent at 14'],
    ['behind the same name that ends first is told', { told: told(12, 14) }, 'sent at 14'],
    ['behind the same name that ends later waits for the first', { told: told(4, 7) }, 'nothing'],
    ['waits while it is suppressed', { isSuppressed: true }, 'later'],
    ['that the trigger has just told is known', { triggeredAt: inDays(-1) }, 'known at 14'],
    [
      'that the trigger told at an earlier step is told',
      { expiresAt: inDays(6.5), triggeredAt: inDays(-6) },
      'sent at 7',
    ],
    ['waits for the trigger of an endpoint that has become degraded', { degradedSince: inDays(-0.01) }, 'later'],
    ['is told when no trigger came', { degradedSince: inDays(-0.1) }, 'sent at 14'],
  ])('%s', (_, facts, expected) => {
    const step = expiryStep({ ...FACTS, ...facts }, NOW);
    expect('step' in step ? `${step.is} at ${step.step}` : step.is).toBe(expected);
  });
});

import { BodyBudget } from './body-budget';

describe('the memory for bodies', () => {
  it('is taken in bytes and given back', () => {
    const budget = new BodyBudget(100, 100);
    const memory = budget.open('a');
    expect(memory.take(60)).toBe(true);
    expect(memory.take(60)).toBe(false);
    expect(budget.used).toBe(60);
    memory.release();
    memory.release();
    expect(budget.used).toBe(0);
    expect(memory.take(100)).toBe(true);
  });

  it('is shared: one organization, however many checks it runs, leaves half of it to the others', () => {
    const budget = new BodyBudget(100, 50);
    const greedy = Array.from({ length: 10 }, () => budget.open('a'));
    expect(greedy.filter((memory) => memory.take(10))).toHaveLength(5);
    expect(budget.open('b').take(50)).toBe(true);
    expect(budget.open('c').take(1)).toBe(false);
    for (const memory of greedy) memory.release();
    expect(budget.open('c').take(50)).toBe(true);
  });
});

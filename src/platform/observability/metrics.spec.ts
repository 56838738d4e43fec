import { Metrics } from './metrics';

/** https://prometheus.io/docs/practices/naming. `promtool check metrics` reports violations. */
describe('the metrics of the process', () => {
  it('have names that end in _total exactly when they count', async () => {
    const text = await new Metrics().expose();
    const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type]) => ({ name, type }));
    expect(types.length).toBeGreaterThan(10);
    expect(types.filter(({ name, type }) => name.endsWith('_total') !== (type === 'counter'))).toEqual([]);
  });
});

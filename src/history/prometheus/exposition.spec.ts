import { exposition, type Gauge, labelText } from './exposition';

describe('labelText', () => {
  it.each([
    ['a plain value', { name: 'Checkout' }, 'name="Checkout"'],
    ['two labels in their order', { b: '1', a: '2' }, 'b="1",a="2"'],
    ['no label without a value', { id: 'x', key: '' }, 'id="x"'],
    ['a quote, a backslash and a line feed escaped', { name: 'a"b\\n\nc' }, 'name="a\\"b\\\\n\\nc"'],
    ['all else as it is', { name: '{a="b"},# 😀\t' }, 'name="{a=\\"b\\"},# 😀\t"'],
  ])('writes %s', (_, labels, text) => {
    expect(labelText(labels)).toBe(text);
  });
});

describe('exposition', () => {
  const textOf = (gauges: readonly Gauge[]) => [...exposition(gauges)];

  it('is one group for each gauge: help, type, then its samples', () => {
    const one = { name: 'up', help: 'Is it\nup \\ down?', samples: [{ labels: 'id="1"', value: 1 }] };
    const none = { name: 'none', help: 'Nothing.', samples: [] };
    expect(textOf([one, none])).toEqual([
      '# HELP up Is it\\nup \\\\ down?\n# TYPE up gauge\nup{id="1"} 1\n# HELP none Nothing.\n# TYPE none gauge\n',
    ]);
  });

  it.each([
    [0, '0'],
    [0.000001, '0.000001'],
    [0.0000001, '1e-7'],
    [1_799_999_999.123, '1799999999.123'],
  ])('writes %p as a number that Prometheus reads', (value, text) => {
    expect(textOf([{ name: 'g', help: '', samples: [{ labels: 'a="b"', value }] }]).join('')).toContain(
      `\ng{a="b"} ${text}\n`,
    );
  });

  it('comes in parts that end at a line break, and reads a sample only when its part is requested', () => {
    let read = 0;
    function* samples() {
      for (; read < 10_000; read++) yield { labels: `id="${read}"`, value: read };
    }
    const parts = exposition([{ name: 'g', help: '', samples: samples() }]);
    const first = String(parts.next().value);
    expect([first.endsWith('\n'), first.length < 70_000, read < 10_000]).toEqual([true, true, true]);
    expect((first + [...parts].join('')).split('\n')).toHaveLength(10_003);
  });
});

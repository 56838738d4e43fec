import { Page } from './page';

/** In this page, the cursor after an item is the item's index. */
const pageOf = (items: readonly unknown[]): Page<unknown> => new Page(items, 'next', null, String);

describe('Page.toJson', () => {
  it('has all items if they fit to the byte', () => {
    expect(pageOf(['aa', 'bb']).toJson(11)).toEqual({ json: '["aa","bb"]', nextCursor: 'next' });
  });

  it('ends before the first item that does not fit, with the cursor after the previous one', () => {
    expect(pageOf(['aa', 'bb', 'cc']).toJson(11)).toEqual({ json: '["aa","bb"]', nextCursor: '1' });
    expect(pageOf(['aa', 'bb']).toJson(10)).toEqual({ json: '["aa"]', nextCursor: '0' });
  });

  it('counts bytes, not characters', () => {
    expect(pageOf(['€', '€']).toJson(9)).toEqual({ json: '["€"]', nextCursor: '0' });
  });

  it('has at least one item, however large', () => {
    expect(pageOf(['too large', 'b']).toJson(5)).toEqual({ json: '["too large"]', nextCursor: '0' });
    expect(pageOf(['too large']).toJson(5)).toEqual({ json: '["too large"]', nextCursor: 'next' });
  });

  it('is also cut after its items were changed', () => {
    const page = pageOf(['a', 'b']).map((item) => ({ item }));
    expect(page.toJson(15)).toEqual({ json: '[{"item":"a"}]', nextCursor: '0' });
  });

  it('is not cut if the cursors between its items are unknown', () => {
    expect(new Page(['aa', 'bb'], null).toJson(3)).toEqual({ json: '["aa","bb"]', nextCursor: null });
  });
});

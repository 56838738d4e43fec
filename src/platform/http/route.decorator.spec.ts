import { IdParam } from './id-param.decorator';
import type { Page } from './page';
import { Route } from './route.decorator';

class View {
  id!: string;
  name!: string;
}

const described = { access: 'read', operationId: 'see', summary: 'See', description: 'A thing.' } as const;
const returns = { noContent: 'Done.' } as const;

// The compiler must find each mistake. If it finds none, `@ts-expect-error` itself is an error.
describe('@Route', () => {
  it('does not compile without what its method has to decide', () => {
    // @ts-expect-error: is an Idempotency-Key honoured?
    Route('POST', '', { ...described, returns });
    // @ts-expect-error: is an If-Match honoured?
    Route('PUT', '', { ...described, returns });
    // @ts-expect-error: and here?
    Route('DELETE', '', { ...described, returns });
    // @ts-expect-error: a GET changes nothing
    Route('GET', '', { ...described, returns, ifMatch: 'honoured' });
    // @ts-expect-error: a refusal tells why
    Route('PUT', '', { ...described, returns, ifMatch: 'refused' });
    const { access, ...withoutAccess } = described;
    // @ts-expect-error: who may call it?
    Route('GET', '', { ...withoutAccess, returns });
    // @ts-expect-error: there is no such problem
    Route('GET', '', { ...described, returns, problems: ['no_such_problem'] });
    expect(access).toBe('read');
  });

  it('does not compile above a handler that returns something else', () => {
    class Things {
      @Route('GET', ':id', { ...described, returns: { ok: View } })
      get(@IdParam('website') id: string): Promise<View> {
        return Promise.resolve({ id, name: 'a' });
      }

      // @ts-expect-error: without its name
      @Route('GET', 'nameless', { ...described, returns: { ok: View } })
      nameless(): Promise<{ id: string }> {
        return Promise.resolve({ id: 'a' });
      }

      // @ts-expect-error: all at once are no page
      @Route('GET', 'all', { ...described, returns: { page: View } })
      all(): Promise<View[]> {
        return Promise.resolve([]);
      }

      // @ts-expect-error: nor is a page a list
      @Route('GET', 'page', { ...described, returns: { list: View } })
      page(): Promise<Page<View>> {
        return Promise.reject(new Error('none'));
      }

      // @ts-expect-error: 204 has no body
      @Route('DELETE', ':id', { ...described, returns, ifMatch: 'honoured' })
      remove(@IdParam('website') id: string): Promise<string> {
        return Promise.resolve(id);
      }
    }
    expect(new Things()).toBeDefined();
  });
});

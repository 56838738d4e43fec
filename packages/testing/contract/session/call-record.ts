import { type OpenApi, type Operation, operationOf, operationsOf } from '../document/openapi';
import { Validator } from '../document/validator';
import type { ApiResponse } from '../../service/api';
import type { Call } from './caller';
import { addressesLeadingAway } from './leading-away';

/** Compares all calls with the service's document. */
export class CallRecord {
  private readonly operations: readonly Operation[];
  private readonly validator: Validator;
  private readonly succeeded = new Set<string>();
  private readonly undocumented = new Set<string>();
  private readonly away = new Set<string>();
  private calls = 0;

  constructor(
    private readonly baseUrl: string,
    document: OpenApi,
  ) {
    this.operations = operationsOf(document);
    this.validator = new Validator(document);
  }

  /** Records a response. Requests that match no documented operation (404, 405) are ignored. */
  note({ method, path, response }: Call): void {
    for (const address of addressesLeadingAway(this.operations, { baseUrl: this.baseUrl, path, response }))
      this.away.add(`${method} ${path.split('?')[0] ?? ''}: ${address}`);
    const operation = operationOf(this.operations, method, path.split('?')[0] ?? '');
    if (!operation) return;
    this.calls += 1;
    if (response.status < 400) this.succeeded.add(operation.name);
    for (const problem of this.validator.problemsOf(operation, response)) this.undocumented.add(problem);
  }

  /** Returns how a response to this operation differs from the service's document. */
  problemsOf(name: string, response: ApiResponse): string[] {
    const operation = this.operations.find((each) => each.name === name);
    return operation ? this.validator.problemsOf(operation, response) : [`${name} is not documented`];
  }

  get successes(): ReadonlySet<string> {
    return this.succeeded;
  }

  /** The distinct differences between responses and the document. */
  get surprises(): string[] {
    return [...this.undocumented];
  }

  /** URLs in responses that don't point to the service, with the request for each. */
  get leadingAway(): string[] {
    return [...this.away];
  }

  get count(): number {
    return this.calls;
  }
}

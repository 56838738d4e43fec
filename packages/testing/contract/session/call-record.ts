import { type OpenApi, type Operation, operationOf, operationsOf } from '../document/openapi';
import { Validator } from '../document/validator';
import type { ApiResponse } from '../../service/api';
import type { Call } from './caller';
import { addressesLeadingAway } from './leading-away';

/** Compares all calls with the document of the service. */
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

  /** Records one response. Requests that match no documented operation (404, 405) are ignored. */
  note({ method, path, response }: Call): void {
    for (const address of addressesLeadingAway(this.operations, { baseUrl: this.baseUrl, path, response }))
      this.away.add(`${method} ${path.split('?')[0] ?? ''}: ${address}`);
    const operation = operationOf(this.operations, method, path.split('?')[0] ?? '');
    if (!operation) return;
    this.calls += 1;
    if (response.status < 400) this.succeeded.add(operation.name);
    for (const problem of this.validator.problemsOf(operation, response)) this.undocumented.add(problem);
  }

  /** Returns the differences between a response of this operation and the document of the service. */
  problemsOf(name: string, response: ApiResponse): string[] {
    const operation = this.operations.find((each) => each.name === name);
    return operation ? this.validator.problemsOf(operation, response) : [`${name} is not documented`];
  }

  get successes(): ReadonlySet<string> {
    return this.succeeded;
  }

  /** Each distinct difference between a response and the document. */
  get surprises(): string[] {
    return [...this.undocumented];
  }

  /** URLs in responses that do not point to the service, each with its request. */
  get leadingAway(): string[] {
    return [...this.away];
  }

  get count(): number {
    return this.calls;
  }
}

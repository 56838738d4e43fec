import { type OpenApi, type Operation, operationOf, operationsOf } from '../document/openapi';
import { Validator } from '../document/validator';
import type { ApiResponse } from '../../service/api';
import type { Call } from './caller';
import { addressesLeadingAway } from './leading-away';

/** Everything that was called, compared with the document of the service. */
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

  /** Notes one response. What is no operation of the document (404, 405) counts for nothing. */
  note({ method, path, response }: Call): void {
    for (const address of addressesLeadingAway(this.operations, { baseUrl: this.baseUrl, path, response }))
      this.away.add(`${method} ${path.split('?')[0] ?? ''}: ${address}`);
    const operation = operationOf(this.operations, method, path.split('?')[0] ?? '');
    if (!operation) return;
    this.calls += 1;
    if (response.status < 400) this.succeeded.add(operation.name);
    for (const problem of this.validator.problemsOf(operation, response)) this.undocumented.add(problem);
  }

  /** What is wrong with a response of this operation by the document of the service. */
  problemsOf(name: string, response: ApiResponse): string[] {
    const operation = this.operations.find((each) => each.name === name);
    return operation ? this.validator.problemsOf(operation, response) : [`${name} is not documented`];
  }

  /** Names of operations that had a response of success. */
  get successes(): ReadonlySet<string> {
    return this.succeeded;
  }

  /** Each way in which a response was not as documented, once. */
  get surprises(): string[] {
    return [...this.undocumented];
  }

  /** Addresses in responses that lead away from the service, each with the request. */
  get leadingAway(): string[] {
    return [...this.away];
  }

  get count(): number {
    return this.calls;
  }
}

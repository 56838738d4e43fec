// Generated from docs/openapi.json by "npm run openapi"; do not edit.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        FieldProblemView: {
            /**
             * @description RFC 6901 pointer into the body, or `?name` for a query parameter.
             * @example /interval
             */
            pointer: string;
            /**
             * @example out_of_range
             * @enum {string}
             */
            code: "required" | "wrong_type" | "out_of_range" | "too_long" | "invalid_format" | "invalid_characters" | "unsupported_scheme" | "unsupported_type" | "credentials_in_url" | "forbidden_header" | "invalid_config" | "unknown_field" | "immutable";
            /** @example interval must not be greater than 86400 */
            message: string;
        };
        ProblemView: {
            /**
             * @description Stable identifier of the kind of problem.
             * @example urn:uptime:problem:validation_failed
             */
            type: string;
            /** @example Some fields are not valid */
            title: string;
            /** @example 400 */
            status: number;
            /** @example Correct the fields listed in "errors" and send the request again. */
            detail: string;
            /**
             * @description URN of this occurrence: the request id.
             * @example urn:uptime:request:018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11
             */
            instance: string;
            /**
             * @description Switch on this; it is stable.
             * @example validation_failed
             * @enum {string}
             */
            code: "malformed_json" | "invalid_encoding" | "validation_failed" | "invalid_query" | "invalid_cursor" | "bad_request" | "unauthenticated" | "insufficient_role" | "origin_not_allowed" | "not_found" | "method_not_allowed" | "request_timeout" | "conflict" | "quota_exceeded" | "payload_too_large" | "uri_too_long" | "unsupported_media_type" | "expectation_failed" | "target_not_allowed" | "rate_limited" | "headers_too_large" | "internal_error" | "storage_unavailable" | "temporarily_unavailable" | "shutting_down";
            /** @example 018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11 */
            request_id: string;
            errors?: components["schemas"]["FieldProblemView"][];
            /** @description With `quota_exceeded`: the limit that is reached. */
            quota?: components["schemas"]["QuotaProblemView"];
        };
        QuotaUseView: {
            /**
             * @description `null`: no limit.
             * @example 10000
             */
            limit: number | null;
            /**
             * @description `null` where there is no one number: alerts are counted for each endpoint, streams in each process.
             * @example 42
             */
            used: number | null;
        };
        QuotasView: {
            /** @description Websites. */
            websites: components["schemas"]["QuotaUseView"];
            /** @description Endpoints. */
            endpoints: components["schemas"]["QuotaUseView"];
            /** @description Alerts. */
            alerts: components["schemas"]["QuotaUseView"];
            /** @description Alerts of one endpoint. */
            alerts_per_endpoint: components["schemas"]["QuotaUseView"];
            /** @description The sum of 1 / interval over all endpoints, paused ones included. */
            checks_per_second: components["schemas"]["QuotaUseView"];
            /** @description API keys. */
            api_keys: components["schemas"]["QuotaUseView"];
            /** @description Public status pages, disabled ones included. */
            status_pages: components["schemas"]["QuotaUseView"];
            /** @description Live streams open at once in one process. */
            streams: components["schemas"]["QuotaUseView"];
        };
        CurrentOrganizationView: {
            /** @example org_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Default */
            name: string;
            /**
             * @description Name of the API key that asks.
             * @example First admin key
             */
            key_name: string;
            /**
             * @example admin
             * @enum {string}
             */
            role: "read" | "write" | "admin";
            /** @description What the organization may have, and has. */
            quotas: components["schemas"]["QuotasView"];
        };
        QuotaProblemView: {
            /**
             * @description Which limit; see `GET /api/v1/organization`.
             * @example endpoints
             */
            name: string;
            /** @example 10000 */
            limit: number;
            /**
             * @description What the organization had before the request.
             * @example 10000
             */
            used: number;
        };
        OrganizationView: {
            /** @example org_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Acme */
            name: string;
            /**
             * @description The limits that the operator set for this organization; the others are those of the installation.
             * @example {
             *       "endpoints": 20000
             *     }
             */
            quotas: {
                [key: string]: number;
            };
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
        };
        CreateOrganizationDto: {
            /** @example Acme */
            name: string;
        };
        FirstKeyView: {
            /** @example key_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example First admin key */
            name: string;
            /**
             * @example admin
             * @enum {string}
             */
            role: "read" | "write" | "admin";
            /**
             * @description The key itself. Shown this one time.
             * @example ums_a_…
             */
            key: string;
        };
        CreatedOrganizationView: {
            /** @example org_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Acme */
            name: string;
            /**
             * @description The limits that the operator set for this organization; the others are those of the installation.
             * @example {
             *       "endpoints": 20000
             *     }
             */
            quotas: {
                [key: string]: number;
            };
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /** @description The organization’s first admin key. */
            api_key: components["schemas"]["FirstKeyView"];
        };
        QuotaOverridesDto: {
            /** @example 2000 */
            websites?: number | null;
            /** @example 20000 */
            endpoints?: number | null;
            /** @example 40000 */
            alerts?: number | null;
            /** @example 100 */
            alerts_per_endpoint?: number | null;
            /** @example 1000 */
            checks_per_second?: number | null;
            /** @example 200 */
            api_keys?: number | null;
            /** @example 200 */
            status_pages?: number | null;
            /** @example 200 */
            streams?: number | null;
        };
        UpdateOrganizationDto: {
            /** @example Acme */
            name?: string;
            /** @description Limits of this organization. One that is absent stays as it is; `null` returns to the limit of the installation. */
            quotas?: components["schemas"]["QuotaOverridesDto"];
        };
        ApiKeyView: {
            /** @example key_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Terraform */
            name: string;
            /** @enum {string} */
            role: "read" | "write" | "admin";
            /**
             * Format: date-time
             * @example null
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description To the minute.
             * @example 2026-11-20T10:15:00.000Z
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
        };
        CreateApiKeyDto: {
            /** @example Terraform */
            name: string;
            /**
             * @description `read` may GET; `write` also create, update, delete, run and test; `admin` also manage keys.
             * @enum {string}
             */
            role: "read" | "write" | "admin";
            /**
             * Format: date-time
             * @description When the key stops working: a time to come, with `Z` or an offset, or a date. Never when absent.
             * @example 2027-12-31T00:00:00.000Z
             */
            expires_at?: string | null;
        };
        CreatedApiKeyView: {
            /** @example key_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Terraform */
            name: string;
            /** @enum {string} */
            role: "read" | "write" | "admin";
            /**
             * Format: date-time
             * @example null
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description To the minute.
             * @example 2026-11-20T10:15:00.000Z
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /**
             * @description The key itself. Shown this one time.
             * @example ums_w_…
             */
            key: string;
        };
        AuditAuthorView: {
            /**
             * @description `api_key`, `session` (of the dashboard, made from the key), `sign_in_link` (one-time, made from the key), `operator` (the operator token), `auth_off` (nobody had to say), `system` (the service itself).
             * @example api_key
             * @enum {string}
             */
            via: "api_key" | "session" | "sign_in_link" | "operator" | "auth_off" | "system";
            /**
             * @description The key, also after its revocation.
             * @example key_01jd3k6q7be5y9x4v2m8n0r1st
             */
            key_id: string | null;
            /**
             * @description Its name at that time.
             * @example Terraform
             */
            key_name: string | null;
            /**
             * @description Address that opened the connection: the proxy’s, where one is in front.
             * @example 203.0.113.7
             */
            ip: string | null;
        };
        AuditEntryView: {
            /** @example au_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
            /**
             * @description `test`: an alert’s test message, or an endpoint tried out before it was saved. `check`: an endpoint checked by hand. `sign_in_failed`: with a key or link that had expired; an unknown one is nobody’s and has no entry.
             * @example update
             * @enum {string}
             */
            action: "create" | "update" | "delete" | "test" | "check" | "redeliver" | "sign_in" | "sign_in_failed" | "sign_out";
            /**
             * @example website
             * @enum {string}
             */
            resource: "website" | "endpoint" | "alert" | "status_page" | "delivery" | "api_key" | "session" | "organization";
            /**
             * @description What it was done to. An endpoint that was only tried out has an id that leads nowhere.
             * @example ws_01jd3k6q7be5y9x4v2m8n0r1st
             */
            resource_id: string;
            /**
             * @description Settings that an update changed, those behind a mask included.
             * @example [
             *       "enabled"
             *     ]
             */
            changed: string[];
            /**
             * @description The changed settings before, all of them for a deletion. Credentials are masked. At most 2 KiB: a text or list that was cut ends with `…` and how much there was, a setting that does not fit is `… (n bytes)`.
             * @example {
             *       "enabled": true
             *     }
             */
            before: {
                [key: string]: unknown;
            } | null;
            /**
             * @description The changed settings after, all of them for a creation; cut as `before`.
             * @example {
             *       "enabled": false
             *     }
             */
            after: {
                [key: string]: unknown;
            } | null;
            /** @description Who did it. */
            author: components["schemas"]["AuditAuthorView"];
            /**
             * @description `X-Request-Id` of the request; `client:` stands before an id that the client chose itself.
             * @example 018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11
             */
            request_id: string | null;
        };
        CreateSessionDto: {
            /**
             * @description An API key of any role; the session gets its rights.
             * @example ums_a_…
             */
            api_key?: string;
            /**
             * @description Instead of a key: the token of a one-time sign-in link.
             * @example rV8…
             */
            sign_in_token?: string;
        };
        SessionOrganizationView: {
            /** @example org_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Default */
            name: string;
        };
        SessionView: {
            organization: components["schemas"]["SessionOrganizationView"];
            /**
             * @description Name of the API key the session stands for.
             * @example First admin key
             */
            key_name: string;
            /**
             * @example admin
             * @enum {string}
             */
            role: "read" | "write" | "admin";
            /**
             * @description Whether this is the organization that runs the installation.
             * @example true
             */
            is_default: boolean;
        };
        WebsiteView: {
            /** @example ws_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Example shop */
            name: string;
            /** @example https://shop.example.com/ */
            url: string;
            /** @example true */
            enabled: boolean;
            /**
             * @description `down` if any enabled endpoint is down, else `up` if any is up, else `unknown`; `paused` when disabled.
             * @enum {string}
             */
            status: "up" | "down" | "unknown" | "paused";
            /**
             * @description Number of endpoints.
             * @example 3
             */
            endpoint_count: number;
            /**
             * Format: date-time
             * @description Newest check of its endpoints; null before the first.
             * @example 2026-11-20T10:00:00.000Z
             */
            last_checked_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreateWebsiteDto: {
            /** @example Example shop */
            name: string;
            /**
             * @description http or https, without credentials. Cannot be changed later.
             * @example https://shop.example.com
             */
            url: string;
            /**
             * @description false pauses every endpoint of the website.
             * @default true
             */
            enabled?: boolean;
        };
        UpdateWebsiteDto: {
            /** @example Example shop */
            name?: string;
            /**
             * @description Immutable: accepted only with its present value.
             * @example https://shop.example.com/
             */
            url?: string;
            /**
             * @description false pauses every endpoint of the website.
             * @example false
             */
            enabled?: boolean;
        };
        HeaderDto: {
            /** @example Accept */
            key: string;
            /**
             * @description Any value may be a credential: encrypted at rest and masked for read keys, but for headers that never carry one (`Accept`, `User-Agent`, `Content-Type`, `Cache-Control` …). A mask sent back keeps the stored value.
             * @example text/html
             */
            value: string;
        };
        AssertionDto: {
            /** @enum {string} */
            source: "status_code" | "response_time" | "header" | "body" | "json" | "certificate_days" | "dns_record" | "banner";
            /**
             * @description `header`: its name. `json`: a JSONPath (RFC 9535).
             * @example $.status
             */
            property?: string;
            /** @enum {string} */
            comparison: "equals" | "not_equals" | "contains" | "not_contains" | "less_than" | "greater_than" | "in" | "exists";
            /**
             * @description What to compare with, as text. `status_code` takes lists and ranges. Of a header that may be a credential it is masked for read keys; a mask sent back keeps it.
             * @example 200-299,301
             */
            target: string;
        };
        EndpointView: {
            /** @example ep_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example ws_01jd3k6q7be5y9x4v2m8n0r1st */
            website_id: string;
            /** @example Checkout */
            name: string;
            /**
             * @description Read keys see the query of an http(s) URL as `?********`; sent back like that, it keeps its value.
             * @example https://shop.example.com/checkout
             */
            url: string;
            /** @example HTTPS */
            type: string;
            /**
             * @example GET
             * @enum {string}
             */
            method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
            /**
             * @description Seconds.
             * @example 60
             */
            interval: number;
            /**
             * @description Seconds.
             * @example 10
             */
            timeout: number;
            /** @example true */
            enabled: boolean;
            /**
             * @description The website’s name.
             * @example Example shop
             */
            group: string;
            headers: components["schemas"]["HeaderDto"][];
            /**
             * @description Masked for read keys.
             * @example null
             */
            body: string | null;
            /** @example true */
            follow_redirects: boolean;
            assertions: components["schemas"]["AssertionDto"][];
            /**
             * @description `unknown`: never checked, or we could not tell.
             * @enum {string}
             */
            status: "up" | "down" | "unknown" | "paused";
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            last_checked_at: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreateEndpointDto: {
            /**
             * @description Case-insensitive; kept and ignored for other types than HTTP and HTTPS.
             * @default GET
             * @enum {string}
             */
            method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
            /**
             * @description Seconds from check to check.
             * @default 60
             */
            interval?: number;
            /**
             * @description Seconds a check may take. May exceed the interval: checks of one endpoint never overlap, the late slot is skipped.
             * @default 10
             */
            timeout?: number;
            /** @default true */
            enabled?: boolean;
            /** @description Sent in order with HTTP and HTTPS checks. Framing and hop-by-hop headers are refused. All values together have at most 16 KiB, headers, body and assertions together 32 KiB. */
            headers?: components["schemas"]["HeaderDto"][];
            /**
             * @description Request body, sent as it is: at most 32 KiB together with headers and assertions. Masked for read keys; a mask sent back keeps it.
             * @example null
             */
            body?: string | null;
            /**
             * @description Follow up to 5 redirects; each hop is judged by the egress policy.
             * @default true
             */
            follow_redirects?: boolean;
            /** @description All must hold. A `status_code` assertion replaces the rule 200–299. */
            assertions?: components["schemas"]["AssertionDto"][];
            /**
             * @description Immutable: accepted only with its present value.
             * @example ws_01jd3k6q7be5y9x4v2m8n0r1st
             */
            website_id?: string;
            /** @example Checkout */
            name: string;
            /**
             * @description What is checked, in a form of its type. Changing it starts a new streak. Accepted forms: `HTTP` http://host[:port]/path or https://host[:port]/path · `HTTPS` https://host[:port]/path · `TCP` tcp://host:port or host:port · `DNS` dns:[//resolver[:port]/]name[?type=A|AAAA|CNAME|MX|NS|TXT|SOA|SRV|CAA|PTR] or a bare name · `ICMP` icmp://host or host · `SSH` ssh://host[:port] or host[:port], default port 22.
             * @example https://shop.example.com/checkout
             */
            url: string;
            /**
             * @description Exact upper case. Changing it starts a new streak.
             * @example HTTPS
             * @enum {string}
             */
            type: "HTTP" | "HTTPS" | "TCP" | "DNS" | "ICMP" | "SSH";
        };
        UpdateEndpointDto: {
            /**
             * @description Case-insensitive; kept and ignored for other types than HTTP and HTTPS.
             * @default GET
             * @enum {string}
             */
            method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
            /**
             * @description Seconds from check to check.
             * @default 60
             */
            interval?: number;
            /**
             * @description Seconds a check may take. May exceed the interval: checks of one endpoint never overlap, the late slot is skipped.
             * @default 10
             */
            timeout?: number;
            /** @default true */
            enabled?: boolean;
            /** @description Sent in order with HTTP and HTTPS checks. Framing and hop-by-hop headers are refused. All values together have at most 16 KiB, headers, body and assertions together 32 KiB. */
            headers?: components["schemas"]["HeaderDto"][];
            /**
             * @description Request body, sent as it is: at most 32 KiB together with headers and assertions. Masked for read keys; a mask sent back keeps it.
             * @example null
             */
            body?: string | null;
            /**
             * @description Follow up to 5 redirects; each hop is judged by the egress policy.
             * @default true
             */
            follow_redirects?: boolean;
            /** @description All must hold. A `status_code` assertion replaces the rule 200–299. */
            assertions?: components["schemas"]["AssertionDto"][];
            /**
             * @description Immutable: accepted only with its present value.
             * @example ws_01jd3k6q7be5y9x4v2m8n0r1st
             */
            website_id?: string;
            /** @example Checkout */
            name?: string;
            /**
             * @description What is checked, in a form of its type. Changing it starts a new streak. Accepted forms: `HTTP` http://host[:port]/path or https://host[:port]/path · `HTTPS` https://host[:port]/path · `TCP` tcp://host:port or host:port · `DNS` dns:[//resolver[:port]/]name[?type=A|AAAA|CNAME|MX|NS|TXT|SOA|SRV|CAA|PTR] or a bare name · `ICMP` icmp://host or host · `SSH` ssh://host[:port] or host[:port], default port 22.
             * @example https://shop.example.com/checkout
             */
            url?: string;
            /**
             * @description Exact upper case. Changing it starts a new streak.
             * @example HTTPS
             * @enum {string}
             */
            type?: "HTTP" | "HTTPS" | "TCP" | "DNS" | "ICMP" | "SSH";
        };
        /** @enum {string} */
        CheckErrorCode: "dns_not_found" | "dns_timeout" | "dns_failure" | "connection_refused" | "connection_reset" | "connection_timeout" | "host_unreachable" | "tls_expired" | "tls_not_yet_valid" | "tls_hostname_mismatch" | "tls_untrusted" | "tls_handshake_failed" | "tls_timeout" | "first_byte_timeout" | "body_timeout" | "protocol_error" | "too_many_redirects" | "status_unexpected" | "assertion_failed" | "icmp_timeout" | "banner_invalid" | "target_blocked" | "icmp_unavailable" | "monitor_offline" | "internal";
        AlertEventErrorView: {
            /** @example connection_refused */
            code: components["schemas"]["CheckErrorCode"];
            /** @example connection refused */
            message: string;
        };
        AlertEventView: {
            /** @example ev_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @enum {string} */
            type: "triggered" | "resolved";
            /**
             * @description The alert; it may be deleted by now.
             * @example al_01jd3k6q7be5y9x4v2m8n0r1st
             */
            alert_id: string;
            /**
             * @description Channel type of the alert at that time: email, webhook, slack, discord, teams, telegram, pagerduty, opsgenie, twilio, and those that modules add.
             * @example slack
             */
            alert_type: string;
            /** @example ep_01jd3k6q7be5y9x4v2m8n0r1st */
            endpoint_id: string;
            /**
             * @description Name at that time.
             * @example Checkout API
             */
            endpoint_name: string;
            /** @example ws_01jd3k6q7be5y9x4v2m8n0r1st */
            website_id: string;
            /**
             * @description Name at that time.
             * @example Example shop
             */
            website_name: string;
            /**
             * @description `threshold`: enough checks in a row. `disabled`: alert, endpoint or website was switched off, or the alert got another type or config. `deleted`: one of them was deleted.
             * @enum {string}
             */
            reason: "threshold" | "disabled" | "deleted";
            /** @example Checkout API is down: connection refused (3 checks in a row) */
            message: string;
            /** @description The failing check’s error; null on resolve. */
            error: components["schemas"]["AlertEventErrorView"] | null;
            /**
             * @description Consecutive failures at that moment.
             * @example 3
             */
            failure_count: number;
            /**
             * @description Consecutive successes at that moment.
             * @example 0
             */
            success_count: number;
            /**
             * Format: date-time
             * @description First failing check of the incident.
             * @example 2026-11-20T09:58:00.000Z
             */
            started_at: string | null;
            /**
             * @description Resolved only: seconds from the first failing check to the check (or the change) that resolved it.
             * @example null
             */
            duration_seconds: number | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
        };
        AlertView: {
            /** @example al_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /**
             * @description The endpoint it watches.
             * @example ep_01jd3k6q7be5y9x4v2m8n0r1st
             */
            endpoint_id: string;
            /**
             * @description Channel type: email, webhook, slack, discord, teams, telegram, pagerduty, opsgenie, twilio, and those that modules add.
             * @example slack
             */
            type: string;
            /**
             * @description false: never triggers.
             * @example true
             */
            enabled: boolean;
            /**
             * @description Settings of the channel, by `type`. Credentials are write-only: they are returned masked, and a masked value sent back keeps the stored one, unless the config now connects to another server, port or encryption. URLs and addresses are masked for read keys; what is shown of a masked value is no part of a secret.
             * @example {
             *       "webhook_url": "https://hooks.slack.com/services/T000/B000/XXXX"
             *     }
             */
            config: {
                [key: string]: unknown;
            };
            /**
             * @description Consecutive failures that trigger the alert. An edit counts from the next result.
             * @default 3
             * @example 3
             */
            failure_threshold: number;
            /**
             * @description Consecutive successes that resolve it. An edit counts from the next result.
             * @default 2
             * @example 2
             */
            success_threshold: number;
            /**
             * @description false: a resolve is recorded, but not sent.
             * @default true
             * @example true
             */
            send_on_resolved: boolean;
            /**
             * @description Free text, part of every message.
             * @default
             * @example Runbook: https://wiki.example.com/checkout
             */
            description: string;
            /**
             * @description True while an incident is open.
             * @example false
             */
            triggered: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Last change by a client; transitions do not count.
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CreateAlertDto: components["schemas"]["CreateEmailAlert"] | components["schemas"]["CreateWebhookAlert"] | components["schemas"]["CreateSlackAlert"] | components["schemas"]["CreateDiscordAlert"] | components["schemas"]["CreateTeamsAlert"] | components["schemas"]["CreateTelegramAlert"] | components["schemas"]["CreatePagerdutyAlert"] | components["schemas"]["CreateOpsgenieAlert"] | components["schemas"]["CreateTwilioAlert"];
        UpdateAlertDto: {
            /**
             * @description Consecutive failures that trigger the alert. An edit counts from the next result.
             * @default 3
             */
            failure_threshold?: number;
            /**
             * @description Consecutive successes that resolve it. An edit counts from the next result.
             * @default 2
             */
            success_threshold?: number;
            /**
             * @description false: a resolve is recorded, but not sent.
             * @default true
             */
            send_on_resolved?: boolean;
            /**
             * @description Free text, part of every message.
             * @default
             */
            description?: string;
            /**
             * @description false: never triggers; an open incident is resolved.
             * @default true
             */
            enabled?: boolean;
            /**
             * @description Immutable: accepted only with its present value.
             * @example ep_01jd3k6q7be5y9x4v2m8n0r1st
             */
            endpoint_id?: string;
            /**
             * @description Channel type: email, webhook, slack, discord, teams, telegram, pagerduty, opsgenie, twilio, and those that modules add. Changes only together with `config`.
             * @example slack
             */
            type?: string;
            config?: components["schemas"]["EmailConfig"] | components["schemas"]["WebhookConfig"] | components["schemas"]["SlackConfig"] | components["schemas"]["DiscordConfig"] | components["schemas"]["TeamsConfig"] | components["schemas"]["TelegramConfig"] | components["schemas"]["PagerDutyConfig"] | components["schemas"]["OpsgenieConfig"] | components["schemas"]["TwilioConfig"];
        };
        DeliveryView: {
            /** @example dl_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example al_01jd3k6q7be5y9x4v2m8n0r1st */
            alert_id: string;
            /**
             * @description The event it tells; null for a test message.
             * @example ev_01jd3k6q7be5y9x4v2m8n0r1st
             */
            event_id: string | null;
            /** @enum {string} */
            kind: "triggered" | "resolved" | "test";
            /**
             * @description Channel type it goes through.
             * @example slack
             */
            channel_type: string;
            /**
             * @description `pending` until it is told or given up; `delivered`: the provider took it; `failed`: given up, and revived only by a redelivery or another config of the alert; `superseded`: not told, because telling it had become wrong.
             * @enum {string}
             */
            state: "pending" | "delivered" | "failed" | "superseded";
            /**
             * @description How or why it reached its state. `digest`, `combined`, `flapping`: told together with others (`flapping` while pending: the last word waits until the alert is stable). `rejected`: refused by the provider. `expired`: too old after failed attempts. `behind_failed`: a resolve whose trigger was refused. `resolved_before_sent`, `trigger_not_told`, `collapsed`: overtaken by what happened since.
             * @example null
             * @enum {string|null}
             */
            detail: "digest" | "combined" | "flapping" | "redelivered" | "rejected" | "expired" | "behind_failed" | "interrupted" | "not_retried" | "unsendable" | "resolved_before_sent" | "trigger_not_told" | "collapsed" | "disabled" | "deleted" | "redeliver" | null;
            /**
             * @description Attempts so far.
             * @example 1
             */
            attempts: number;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.120Z
             */
            last_attempt_at: string | null;
            /**
             * Format: date-time
             * @description Earliest next attempt; null when there will be none.
             * @example null
             */
            next_attempt_at: string | null;
            /**
             * @description Status of the last answer; null when there was none.
             * @example 200
             */
            response_status: number | null;
            /**
             * @description What went wrong at the last attempt, without URLs and secrets.
             * @example null
             */
            error: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            created_at: string;
        };
        CheckPhasesView: {
            /**
             * @description Milliseconds for name resolution; null when not reached or not part of this type.
             * @example 4.217
             */
            dns_ms: number | null;
            /**
             * @description Milliseconds to connect; null when not reached or not part of this type.
             * @example 4.217
             */
            connect_ms: number | null;
            /**
             * @description Milliseconds for the TLS handshake; null when not reached or not part of this type.
             * @example 4.217
             */
            tls_ms: number | null;
            /**
             * @description Milliseconds from the request to the first byte of the answer; null when not reached or not part of this type.
             * @example 4.217
             */
            first_byte_ms: number | null;
            /**
             * @description Milliseconds to read the rest of the answer; null when not reached or not part of this type.
             * @example 4.217
             */
            transfer_ms: number | null;
        };
        CertificateView: {
            /**
             * Format: date-time
             * @example 2027-02-01T00:00:00.000Z
             */
            expires_at: string;
            /** @example C=US, O=Let's Encrypt, CN=R11 */
            issuer: string;
            /** @example CN=shop.example.com */
            subject: string;
            /**
             * @description Subject alternative names, at most 20.
             * @example [
             *       "shop.example.com"
             *     ]
             */
            names: string[];
        };
        CheckErrorView: {
            /**
             * @description Stable; clients switch on it.
             * @example connection_refused
             * @enum {string}
             */
            code: "dns_not_found" | "dns_timeout" | "dns_failure" | "connection_refused" | "connection_reset" | "connection_timeout" | "host_unreachable" | "tls_expired" | "tls_not_yet_valid" | "tls_hostname_mismatch" | "tls_untrusted" | "tls_handshake_failed" | "tls_timeout" | "first_byte_timeout" | "body_timeout" | "protocol_error" | "too_many_redirects" | "status_unexpected" | "assertion_failed" | "icmp_timeout" | "banner_invalid" | "target_blocked" | "icmp_unavailable" | "monitor_offline" | "internal";
            /**
             * @description Where in its life the check ended.
             * @example connect
             * @enum {string}
             */
            phase: "dns" | "connect" | "tls" | "first_byte" | "transfer" | "assertion" | "internal";
            /**
             * @description One plain sentence.
             * @example The connection to 192.0.2.1 port 443 was refused.
             */
            message: string;
        };
        CheckView: {
            /** @example ck_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example ep_01jd3k6q7be5y9x4v2m8n0r1st */
            endpoint_id: string;
            /**
             * @description `unknown`: the fault is ours or we were not allowed to look; kept out of uptime and streaks.
             * @enum {string}
             */
            outcome: "up" | "down" | "unknown";
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            checked_at: string;
            /**
             * @description Sum of the phases, milliseconds.
             * @example 83.412
             */
            duration_ms: number;
            phases: components["schemas"]["CheckPhasesView"];
            /**
             * @description Final HTTP status.
             * @example 200
             */
            status_code: number | null;
            /**
             * @description The address connected to.
             * @example 192.0.2.1
             */
            address: string | null;
            /** @description Also when its verification failed. */
            certificate: components["schemas"]["CertificateView"] | null;
            /**
             * @description DNS: the answers. SSH: identification and host key fingerprint.
             * @example null
             */
            records: string[] | null;
            /** @description URLs that were redirected to, without credentials and query. */
            redirects: string[];
            /** @description null exactly when the outcome is `up`. */
            error: components["schemas"]["CheckErrorView"] | null;
            /**
             * @description 2 when a failure was repeated before it was recorded.
             * @example 1
             * @enum {number}
             */
            attempts: 1 | 2;
            /** @description What the first of two attempts failed with. */
            first_error: components["schemas"]["CheckErrorView"] | null;
        };
        OutageErrorView: {
            /**
             * @example connection_refused
             * @enum {string}
             */
            code: "dns_not_found" | "dns_timeout" | "dns_failure" | "connection_refused" | "connection_reset" | "connection_timeout" | "host_unreachable" | "tls_expired" | "tls_not_yet_valid" | "tls_hostname_mismatch" | "tls_untrusted" | "tls_handshake_failed" | "tls_timeout" | "first_byte_timeout" | "body_timeout" | "protocol_error" | "too_many_redirects" | "status_unexpected" | "assertion_failed" | "icmp_timeout" | "banner_invalid" | "target_blocked" | "icmp_unavailable" | "monitor_offline" | "internal";
            /** @example The connection to 192.0.2.1 port 443 was refused. */
            message: string;
        };
        OutageView: {
            /**
             * Format: date-time
             * @description The first failing check.
             */
            started_at: string;
            /**
             * Format: date-time
             * @description The first good check, or when the endpoint was paused; null while it lasts.
             */
            ended_at: string | null;
            /**
             * @description Up to now while it lasts.
             * @example 312
             */
            duration_seconds: number;
            /** @description What the first check failed with. */
            error: components["schemas"]["OutageErrorView"] | null;
        };
        LatencyView: {
            /**
             * @description Mean, milliseconds; null without a good check.
             * @example 83.412
             */
            avg: number | null;
            /**
             * @description Median (at most 4.5 % off), milliseconds; null without a good check.
             * @example 83.412
             */
            p50: number | null;
            /**
             * @description 95th percentile (at most 4.5 % off), milliseconds; null without a good check.
             * @example 83.412
             */
            p95: number | null;
            /**
             * @description 99th percentile (at most 4.5 % off), milliseconds; null without a good check.
             * @example 83.412
             */
            p99: number | null;
            /**
             * @description Fastest check, milliseconds; null without a good check.
             * @example 83.412
             */
            min: number | null;
            /**
             * @description Slowest check, milliseconds; null without a good check.
             * @example 83.412
             */
            max: number | null;
        };
        UptimeView: {
            /** @example ep_01jd3k6q7be5y9x4v2m8n0r1st */
            endpoint_id: string;
            /**
             * Format: date-time
             * @description Begin of what was counted. A range that begins before the single checks that are kept is widened to full hours.
             */
            from: string;
            /**
             * Format: date-time
             * @description End of what was counted, excluded.
             */
            to: string;
            /**
             * @description Good checks among those that could tell: up / (up + down). null when none could.
             * @example 0.99931
             */
            uptime: number | null;
            /**
             * @description Share of the checks that could tell: 1 − unknown / checks. null without checks.
             * @example 1
             */
            coverage: number | null;
            /**
             * @description All recorded checks.
             * @example 1440
             */
            checks: number;
            /**
             * @description Checks with outcome `down`.
             * @example 1
             */
            failures: number;
            /**
             * @description Checks with outcome `unknown`: recorded, but not held against the target.
             * @example 0
             */
            unknown: number;
            /**
             * @description Outages that touch the range.
             * @example 1
             */
            outage_count: number;
            /**
             * @description Seconds of outages inside the range.
             * @example 312
             */
            downtime_seconds: number;
            /** @description The newest 100 outages that touch the range, newest first. */
            outages: components["schemas"]["OutageView"][];
            /** @description Of the good checks. */
            latency: components["schemas"]["LatencyView"];
        };
        LatencyBucketView: {
            /**
             * Format: date-time
             * @description A multiple of the step since 1970.
             */
            start: string;
            /**
             * @description All checks.
             * @example 5
             */
            count: number;
            /**
             * @description Checks with outcome `down`.
             * @example 0
             */
            failures: number;
            /**
             * @description Checks with outcome `unknown`.
             * @example 0
             */
            unknown: number;
            /**
             * @description Mean of the good checks, milliseconds; null without one.
             * @example 83.412
             */
            avg: number | null;
            /**
             * @description Median of the good checks, milliseconds; null without one.
             * @example 83.412
             */
            p50: number | null;
            /**
             * @description 95th percentile of the good checks, milliseconds; null without one.
             * @example 83.412
             */
            p95: number | null;
            /**
             * @description 99th percentile of the good checks, milliseconds; null without one.
             * @example 83.412
             */
            p99: number | null;
            /**
             * @description Slowest of the good checks, milliseconds; null without one.
             * @example 83.412
             */
            max: number | null;
            /** @description Mean of each phase over the good checks: stacked they make the mean. null without one. */
            phases: components["schemas"]["CheckPhasesView"] | null;
        };
        OverviewWebsiteView: {
            /** @example ws_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Example shop */
            name: string;
        };
        OverviewItemView: {
            /** @example ep_01jd3k6q7be5y9x4v2m8n0r1st */
            id: string;
            /** @example Checkout */
            name: string;
            /**
             * @description Read keys see the query of an http(s) URL as `?********`.
             * @example https://shop.example.com/checkout
             */
            url: string;
            /** @example HTTPS */
            type: string;
            website: components["schemas"]["OverviewWebsiteView"];
            /** @enum {string} */
            status: "up" | "down" | "unknown" | "paused";
            /**
             * Format: date-time
             * @description Since when the status holds; null before the first check.
             * @example 2026-11-20T10:00:00.000Z
             */
            status_since: string | null;
            /**
             * Format: date-time
             * @description Newest check; null before the first.
             * @example 2026-11-20T10:00:00.000Z
             */
            last_checked_at: string | null;
            /**
             * @description What the newest check failed with.
             * @enum {string|null}
             */
            last_error: "dns_not_found" | "dns_timeout" | "dns_failure" | "connection_refused" | "connection_reset" | "connection_timeout" | "host_unreachable" | "tls_expired" | "tls_not_yet_valid" | "tls_hostname_mismatch" | "tls_untrusted" | "tls_handshake_failed" | "tls_timeout" | "first_byte_timeout" | "body_timeout" | "protocol_error" | "too_many_redirects" | "status_unexpected" | "assertion_failed" | "icmp_timeout" | "banner_invalid" | "target_blocked" | "icmp_unavailable" | "monitor_offline" | "internal" | null;
            /**
             * @description up / (up + down) over the last 24 full hours and the running one; null while nothing is known.
             * @example 0.99931
             */
            uptime_24h: number | null;
            /**
             * @description Share of the checks behind `uptime_24h` that could tell.
             * @example 1
             */
            coverage_24h: number | null;
            /**
             * @description up / (up + down) over the last 7 full days (UTC) and today; null while nothing is known.
             * @example 0.99931
             */
            uptime_7d: number | null;
            /**
             * @description up / (up + down) over the last 30 full days (UTC) and today; null while nothing is known.
             * @example 0.99931
             */
            uptime_30d: number | null;
            /**
             * @description up / (up + down) over the last 90 full days (UTC) and today; null while nothing is known.
             * @example 0.99931
             */
            uptime_90d: number | null;
            /**
             * @description 95th percentile of the latency over the last 24 full hours (until there is one: since the beginning), milliseconds.
             * @example 83.412
             */
            p95_ms: number | null;
            /** @description The newest outcomes, oldest first, at most 30. */
            recent: ("up" | "down" | "unknown")[];
            /**
             * Format: date-time
             * @description Expiry of the certificate seen by the newest check that saw one.
             * @example 2026-11-20T10:00:00.000Z
             */
            certificate_expires_at: string | null;
            /**
             * @description Whether an alert of the endpoint is triggered.
             * @example false
             */
            alert_open: boolean;
        };
        TrialView: {
            /**
             * @description `unknown`: the fault is ours or we were not allowed to look; kept out of uptime and streaks.
             * @enum {string}
             */
            outcome: "up" | "down" | "unknown";
            /**
             * Format: date-time
             * @example 2026-11-20T10:00:00.000Z
             */
            checked_at: string;
            /**
             * @description Sum of the phases, milliseconds.
             * @example 83.412
             */
            duration_ms: number;
            phases: components["schemas"]["CheckPhasesView"];
            /**
             * @description Final HTTP status.
             * @example 200
             */
            status_code: number | null;
            /**
             * @description The address connected to.
             * @example 192.0.2.1
             */
            address: string | null;
            /** @description Also when its verification failed. */
            certificate: components["schemas"]["CertificateView"] | null;
            /**
             * @description DNS: the answers. SSH: identification and host key fingerprint.
             * @example null
             */
            records: string[] | null;
            /** @description URLs that were redirected to, without credentials and query. */
            redirects: string[];
            /** @description null exactly when the outcome is `up`. */
            error: components["schemas"]["CheckErrorView"] | null;
            /**
             * @description 2 when a failure was repeated before it was recorded.
             * @example 1
             * @enum {number}
             */
            attempts: 1 | 2;
            /** @description What the first of two attempts failed with. */
            first_error: components["schemas"]["CheckErrorView"] | null;
        };
        StatusPageView: {
            /**
             * @description Off by default.
             * @example true
             */
            enabled: boolean;
            /**
             * @description null until the page is first enabled.
             * @example example-shop
             */
            slug: string | null;
            /**
             * @description Address of the page on this installation; with `.json` for programs, with `.svg` a badge.
             * @example /status/example-shop
             */
            path: string | null;
        };
        UpdateStatusPageDto: {
            /**
             * @description Whether everybody may see the page.
             * @example true
             */
            enabled?: boolean;
            /**
             * @description The end of its address: 3 to 64 lower-case letters, digits and dashes. Made from the name by default.
             * @example example-shop
             */
            slug?: string;
        };
        SystemDatabaseView: {
            /** @enum {string} */
            kind: "embedded" | "postgresql";
            /** @example 18.1 */
            version: string;
            /** @example 48230144 */
            size_bytes: number;
        };
        SystemSchedulerView: {
            /**
             * @description Endpoints that are checked on a schedule.
             * @example 120
             */
            active_endpoints: number;
            /**
             * @description How late the most overdue check is, milliseconds; 0 when none is.
             * @example 0
             */
            lag_ms: number;
        };
        SystemOutboxView: {
            /**
             * @description Messages that are still owed.
             * @example 0
             */
            pending: number;
            /**
             * @description Age of the oldest of them, seconds.
             * @example null
             */
            oldest_pending_age_seconds: number | null;
            /**
             * @description Messages that were given up.
             * @example 0
             */
            failed: number;
        };
        SystemRetentionView: {
            /**
             * @description Days that single checks are kept.
             * @example 30
             */
            raw_days: number;
            /**
             * @description Days that hourly and daily figures are kept.
             * @example 400
             */
            rollup_days: number;
        };
        SystemView: {
            /** @example 0.1.0 */
            version: string;
            /**
             * @description What this process does.
             * @enum {string}
             */
            role: "all" | "api" | "worker";
            /**
             * Format: date-time
             * @description Start of this process.
             * @example 2026-11-20T10:00:00.000Z
             */
            started_at: string;
            /**
             * @description Resident memory of this process.
             * @example 182452224
             */
            memory_bytes: number;
            database: components["schemas"]["SystemDatabaseView"];
            scheduler: components["schemas"]["SystemSchedulerView"];
            outbox: components["schemas"]["SystemOutboxView"];
            retention: components["schemas"]["SystemRetentionView"];
        };
        EmailSmtpConfig: {
            /**
             * @description Host of the mail server.
             * @example smtp.example.com
             */
            host: string;
            /**
             * @description Port: 465 is TLS from the start, any other port begins with STARTTLS.
             * @default 587
             * @example 587
             */
            port?: number;
            /**
             * @description Demand TLS: without it the mail is not sent. `false` uses STARTTLS only when the server offers it, and sends in clear otherwise.
             * @default true
             * @example true
             */
            secure?: boolean;
            /**
             * @description User name of the account.
             * @example uptime@example.com
             */
            username?: string;
            /**
             * Format: password
             * @description Password of the account.
             * @example correct horse battery staple
             */
            password?: string;
        };
        EmailConfig: {
            /**
             * @description Recipients, at most 50, each exactly one address.
             * @example [
             *       "ops@example.com"
             *     ]
             */
            to: string[];
            /**
             * @description Recipients of a copy, at most 50.
             * @example [
             *       "team@example.com"
             *     ]
             */
            cc?: string[];
            /**
             * @description Sender, with an `smtp` account of the alert; by default the user name of that account. The server’s own account sends from the address of the server (`SMTP_FROM`): of `from` it takes the display name.
             * @example Uptime <uptime@example.com>
             */
            from?: string;
            /**
             * @description Mail account of this alert, instead of the server's own (`SMTP_URL`).
             * @example {
             *       "host": "smtp.example.com",
             *       "port": 587,
             *       "username": "uptime@example.com",
             *       "password": "correct horse battery"
             *     }
             */
            smtp?: components["schemas"]["EmailSmtpConfig"];
        };
        WebhookHeader: {
            /**
             * @description Header name.
             * @example X-Team
             */
            key: string;
            /**
             * @description Header value; masked for read keys.
             * @example operations
             */
            value: string;
        };
        WebhookConfig: {
            /**
             * Format: uri
             * @description URL that receives the notifications. Required, unless sent as `webhook_url`.
             * @example https://hooks.example.com/uptime
             */
            url?: string;
            /**
             * Format: uri
             * @description Another name of `url`.
             * @example https://hooks.example.com/uptime
             */
            webhook_url?: string;
            /**
             * @description Request method.
             * @default POST
             * @example POST
             * @enum {string}
             */
            method?: "POST" | "PUT" | "PATCH";
            /**
             * @description Further request headers, at most 50.
             * @example [
             *       {
             *         "key": "X-Team",
             *         "value": "operations"
             *       }
             *     ]
             */
            headers?: components["schemas"]["WebhookHeader"][];
            /**
             * Format: password
             * @description Secret that signs the requests (Standard Webhooks): `whsec_` and 24 to 64 bytes in base64. Generated when absent and returned in full only by the request that generates it. While a secret is being replaced, two with a space between them: every request then carries both signatures.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            secret?: string;
        };
        SlackConfig: {
            /**
             * Format: uri
             * @description URL of an incoming webhook of Slack or of a compatible server.
             * @example https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX
             */
            webhook_url: string;
            /**
             * @description Channel to post to, where the webhook allows another one.
             * @example #ops
             */
            channel?: string;
            /**
             * @description Name to post under, where the webhook allows it.
             * @example Uptime
             */
            username?: string;
            /**
             * @description Who is mentioned when an alert triggers: `@channel`, `@here`, a user id or a user group id.
             * @example @here
             */
            mention?: string;
        };
        DiscordConfig: {
            /**
             * Format: uri
             * @description URL of a Discord webhook.
             * @example https://discord.com/api/webhooks/000000000000000000/XXXXXXXXXXXXXXXXXXXXXXXX
             */
            webhook_url: string;
            /**
             * @description Name to post under.
             * @example Uptime
             */
            username?: string;
            /**
             * @description Thread to post to, by its id.
             * @example 1100000000000000000
             */
            thread_id?: string;
            /**
             * @description Text above the message when an alert triggers, usually a mention: `<@&role>`, `<@user>`, `@here`.
             * @example <@&1100000000000000000>
             */
            content?: string;
        };
        TeamsConfig: {
            /**
             * Format: uri
             * @description URL of a Power Automate workflow "When a Teams webhook request is received". Office 365 connectors (webhook.office.com) are retired and refused.
             * @example https://prod-00.westeurope.logic.azure.com/workflows/0000/triggers/manual/paths/invoke?sig=XXXX
             */
            webhook_url: string;
        };
        TelegramConfig: {
            /**
             * Format: password
             * @description Token of the bot that sends.
             * @example 123456789:AAxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
             */
            bot_token: string;
            /**
             * @description Chat to send to: its numeric id, or `@name` of a public channel.
             * @example -1001234567890
             */
            chat_id: string | number;
            /**
             * @description Topic of a forum group to post to.
             * @example 42
             */
            message_thread_id?: number;
            /**
             * Format: uri
             * @description Base URL of a compatible Bot API server.
             * @default https://api.telegram.org
             * @example https://api.telegram.org
             */
            api_url?: string;
            /**
             * @description Deliver without a sound.
             * @default false
             * @example false
             */
            silent?: boolean;
        };
        PagerDutyConfig: {
            /**
             * Format: password
             * @description Integration key of an Events API v2 integration. Required, unless sent as `integration_key`.
             * @example 0123456789abcdef0123456789abcdef
             */
            routing_key?: string;
            /**
             * Format: password
             * @description Another name of `routing_key`.
             * @example 0123456789abcdef0123456789abcdef
             */
            integration_key?: string;
            /**
             * @description Severity of the incident.
             * @default critical
             * @example critical
             * @enum {string}
             */
            severity?: "critical" | "error" | "warning" | "info";
            /**
             * @description Service region of the account.
             * @default us
             * @example eu
             * @enum {string}
             */
            region?: "us" | "eu";
            /**
             * Format: uri
             * @description Base URL of a compatible server, instead of the region.
             * @example https://events.pagerduty.com
             */
            api_url?: string;
        };
        OpsgenieResponder: {
            /**
             * @description Kind of responder.
             * @example team
             * @enum {string}
             */
            type: "team" | "user" | "escalation" | "schedule";
            /**
             * @description Id of the responder.
             * @example 4513b7ea-3b91-438f-b7e4-e3e54af9147c
             */
            id?: string;
            /**
             * @description Name of a team, escalation or schedule.
             * @example Operations
             */
            name?: string;
            /**
             * @description User name of a user.
             * @example ops@example.com
             */
            username?: string;
        };
        OpsgenieConfig: {
            /**
             * Format: password
             * @description Key of an API integration.
             * @example 00000000-0000-0000-0000-000000000000
             */
            api_key: string;
            /**
             * @description `us` and `eu` are Opsgenie, which ends on 2027-04-05; `jsm` is its successor in Jira Service Management.
             * @default us
             * @example jsm
             * @enum {string}
             */
            region?: "us" | "eu" | "jsm";
            /**
             * Format: uri
             * @description Base URL of a compatible server, instead of the region; `/v2/alerts` is added.
             * @example https://api.opsgenie.com
             */
            api_url?: string;
            /**
             * @description Priority of the alert.
             * @default P3
             * @example P1
             * @enum {string}
             */
            priority?: "P1" | "P2" | "P3" | "P4" | "P5";
            /**
             * @description Tags, at most 20.
             * @example [
             *       "uptime"
             *     ]
             */
            tags?: string[];
            /**
             * @description Who is to respond, at most 50.
             * @example [
             *       {
             *         "type": "team",
             *         "name": "Operations"
             *       }
             *     ]
             */
            responders?: components["schemas"]["OpsgenieResponder"][];
        };
        TwilioConfig: {
            /**
             * @description SID of the account.
             * @example AC00000000000000000000000000000000
             */
            account_sid: string;
            /**
             * Format: password
             * @description Auth token of the account, or the secret of the API key when `api_key_sid` is given.
             * @example 00000000000000000000000000000000
             */
            auth_token: string;
            /**
             * @description SID of an API key to authenticate with instead of the account itself.
             * @example SK00000000000000000000000000000000
             */
            api_key_sid?: string;
            /**
             * @description Sender: a number with country code, a short code or a sender name. Or give `messaging_service_sid`.
             * @example +15005550006
             */
            from?: string;
            /**
             * @description Messaging service that chooses the sender, instead of `from`.
             * @example MG00000000000000000000000000000000
             */
            messaging_service_sid?: string;
            /**
             * @description Recipient, or a list of at most 10: numbers with country code (E.164).
             * @example +15005550009
             */
            to: string | string[];
            /**
             * Format: uri
             * @description Base URL of a compatible server or of another region.
             * @default https://api.twilio.com
             * @example https://api.twilio.com
             */
            api_url?: string;
        };
        CreateAlertFields: {
            /**
             * @description Consecutive failures that trigger the alert. An edit counts from the next result.
             * @default 3
             */
            failure_threshold?: number;
            /**
             * @description Consecutive successes that resolve it. An edit counts from the next result.
             * @default 2
             */
            success_threshold?: number;
            /**
             * @description false: a resolve is recorded, but not sent.
             * @default true
             */
            send_on_resolved?: boolean;
            /**
             * @description Free text, part of every message.
             * @default
             */
            description?: string;
            /**
             * @description false: never triggers; an open incident is resolved.
             * @default true
             */
            enabled?: boolean;
            /**
             * @description The endpoint it watches. Cannot be changed later.
             * @example ep_01jd3k6q7be5y9x4v2m8n0r1st
             */
            endpoint_id: string;
            /**
             * @description Channel type: email, webhook, slack, discord, teams, telegram, pagerduty, opsgenie, twilio, and those that modules add.
             * @example slack
             */
            type: string;
            /**
             * @description Settings of the channel, by `type`. Credentials are write-only: they are returned masked, and a masked value sent back keeps the stored one, unless the config now connects to another server, port or encryption. URLs and addresses are masked for read keys; what is shown of a masked value is no part of a secret.
             * @example {
             *       "webhook_url": "https://hooks.slack.com/services/T000/B000/XXXX"
             *     }
             */
            config: {
                [key: string]: unknown;
            };
        };
        CreateEmailAlert: components["schemas"]["CreateAlertFields"] & {
            /** @enum {string} */
            type: "email";
            config: components["schemas"]["EmailConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "email";
        };
        CreateWebhookAlert: components["schemas"]["CreateAlertFields"] & {
            /** @enum {string} */
            type: "webhook";
            config: components["schemas"]["WebhookConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "webhook";
        };
        CreateSlackAlert: components["schemas"]["CreateAlertFields"] & {
            /** @enum {string} */
            type: "slack";
            config: components["schemas"]["SlackConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "slack";
        };
        CreateDiscordAlert: components["schemas"]["CreateAlertFields"] & {
            /** @enum {string} */
            type: "discord";
            config: components["schemas"]["DiscordConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "discord";
        };
        CreateTeamsAlert: components["schemas"]["CreateAlertFields"] & {
            /** @enum {string} */
            type: "teams";
            config: components["schemas"]["TeamsConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "teams";
        };
        CreateTelegramAlert: components["schemas"]["CreateAlertFields"] & {
            /** @enum {string} */
            type: "telegram";
            config: components["schemas"]["TelegramConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "telegram";
        };
        CreatePagerdutyAlert: components["schemas"]["CreateAlertFields"] & {
            /** @enum {string} */
            type: "pagerduty";
            config: components["schemas"]["PagerDutyConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "pagerduty";
        };
        CreateOpsgenieAlert: components["schemas"]["CreateAlertFields"] & {
            /** @enum {string} */
            type: "opsgenie";
            config: components["schemas"]["OpsgenieConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "opsgenie";
        };
        CreateTwilioAlert: components["schemas"]["CreateAlertFields"] & {
            /** @enum {string} */
            type: "twilio";
            config: components["schemas"]["TwilioConfig"];
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "twilio";
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;

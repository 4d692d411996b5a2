/** The one reply that a control request gets. */
export type Reply =
  | { readonly subtype: 'success'; readonly response?: object }
  | { readonly subtype: 'error'; readonly error: string };

export function success(response: object): Reply {
  return { subtype: 'success', response };
}

export function failure(error: string): Reply {
  return { subtype: 'error', error };
}

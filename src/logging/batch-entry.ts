const ENTRY = Symbol('entry of a batch');

/** Marks a request that a batch makes; it has no connection of its own. */
export const markBatchEntry = (request: object): void => void Object.assign(request, { [ENTRY]: true });

/** True for a request that a batch made. */
export const isBatchEntry = (request: object): boolean => ENTRY in request;

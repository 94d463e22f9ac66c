/** A table that becomes a list of cards where the window is narrow. */
import { Fragment, type ComponentChildren } from "preact";
import { memo } from "preact/compat";
import { change } from "../router";
import { Menu } from "./filters";

export interface Column<Row> {
  readonly id: string;
  readonly label: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** By what the service sorts for this column. */
  readonly sort?: string;
  /** Whether large values are what one looks for first. */
  readonly largestFirst?: boolean;
  readonly number?: boolean;
  readonly title?: string;
}

export interface Sorting {
  readonly by: string;
  readonly order: "asc" | "desc";
  readonly change: (by: string, order: "asc" | "desc") => void;
}

/** A name such as `cook_egg`, which breaks after an underscore where it must break. */
export function breakable(name: string): ComponentChildren {
  const parts = name.split(/(?<=_)/);
  return parts.map((part, place) => (
    <Fragment key={place}>
      {place > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

/** The columns but those that the address hides; the first one always stays. */
export function shownColumns<Row>(
  columns: readonly Column<Row>[],
  hidden: readonly string[],
): readonly Column<Row>[] {
  return columns.filter(({ id }, place) => place === 0 || !hidden.includes(id));
}

/** Chooses the columns of a table: `hide` of the address names those that are hidden. */
export function ColumnMenu<Row>(props: {
  readonly columns: readonly Column<Row>[];
  readonly hidden: readonly string[];
}) {
  const { columns, hidden } = props;
  const flip = (id: string) => {
    const kept = hidden.filter((each) => each !== id);
    change({ hide: kept.length < hidden.length ? kept : [...hidden, id] }, true);
  };
  return (
    <Menu label="Columns" count={hidden.length}>
      {columns.slice(1).map(({ id, label }) => (
        <label key={id} class="facet-choice">
          <input type="checkbox" checked={!hidden.includes(id)} onChange={() => flip(id)} />
          <span class="facet-label">{label}</span>
        </label>
      ))}
    </Menu>
  );
}

interface Props<Row> {
  readonly caption: string;
  /** The first column names the row. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly sorting?: Sorting;
  readonly classOf?: (row: Row) => string;
}

// Roles are spelled out, because cards are no table for CSS, and browsers then forget them.
export function Table<Row>(props: Props<Row>) {
  const { caption, columns, rows, keyOf, sorting, classOf } = props;
  return (
    <div class="table-box">
      {sorting && <NarrowSorting columns={columns} sorting={sorting} />}
      <table class="table" role="table">
        <caption class="visually-hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <Head key={column.id} column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <Line key={keyOf(row)} row={row} columns={columns} kind={classOf?.(row) ?? ""} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Made again only if its row or the columns are others: a page changes more often than they do. */
const Line = memo(function Line<Row>(props: {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly kind: string;
}) {
  const { row, columns, kind } = props;
  return (
    <tr role="row" class={kind}>
      {columns.map((column, place) => {
        const shared = { class: column.number ? "num" : "", "data-label": column.label };
        return place === 0 ? (
          <th key={column.id} role="rowheader" scope="row" {...shared}>
            {column.cell(row)}
          </th>
        ) : (
          <td key={column.id} role="cell" {...shared}>
            {column.cell(row)}
          </td>
        );
      })}
    </tr>
  );
}) as <Row>(props: {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly kind: string;
  readonly key: string;
}) => ComponentChildren;

function Head<Row>(props: { readonly column: Column<Row>; readonly sorting: Sorting | undefined }) {
  const { column, sorting } = props;
  const kind = column.number ? "num" : "";
  if (!sorting || column.sort === undefined) {
    return (
      <th role="columnheader" scope="col" class={kind} title={column.title}>
        {column.label}
      </th>
    );
  }
  const by = column.sort;
  const current = sorting.by === by ? sorting.order : null;
  const first = column.largestFirst ? "desc" : "asc";
  const next = current === null ? first : current === "asc" ? "desc" : "asc";
  return (
    <th
      role="columnheader"
      scope="col"
      class={kind}
      title={column.title}
      aria-sort={current === null ? "none" : current === "asc" ? "ascending" : "descending"}
    >
      <button type="button" class="sort" onClick={() => sorting.change(by, next)}>
        {column.label}
        <span class="sort-mark" aria-hidden="true">
          {current === "asc" ? "▲" : current === "desc" ? "▼" : ""}
        </span>
      </button>
    </th>
  );
}

function NarrowSorting<Row>(props: {
  readonly columns: readonly Column<Row>[];
  readonly sorting: Sorting;
}) {
  const { columns, sorting } = props;
  const sortable = columns.filter((column) => column.sort !== undefined);
  return (
    <div class="narrow-sorting">
      <label>
        Sort by{" "}
        <select
          value={sorting.by}
          onChange={(event) => {
            const by = event.currentTarget.value;
            const column = sortable.find((each) => each.sort === by);
            sorting.change(by, column?.largestFirst ? "desc" : "asc");
          }}
        >
          {!sortable.some((column) => column.sort === sorting.by) && (
            <option value={sorting.by}>{sorting.by}</option>
          )}
          {sortable.map((column) => (
            <option key={column.id} value={column.sort}>
              {column.label}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        aria-label={sorting.order === "asc" ? "Ascending" : "Descending"}
        onClick={() => sorting.change(sorting.by, sorting.order === "asc" ? "desc" : "asc")}
      >
        {sorting.order === "asc" ? "▲" : "▼"}
      </button>
    </div>
  );
}

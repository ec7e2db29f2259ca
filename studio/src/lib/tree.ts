// Paths as a tree of folders and files.
export interface TreeFile {
  path: string;
  size: number;
  /** Shown beside the name, for example that it was changed. */
  note?: string;
}
export interface TreeNode {
  path: string;
  name: string;
  size: number;
  /** Files in it, in folders below as well; 0 for a file. */
  files: number;
  note?: string;
  children?: TreeNode[];
}
export interface TreeRow {
  node: TreeNode;
  depth: number;
  open: boolean;
}

export function treeOf(files: readonly TreeFile[]): TreeNode {
  const root: TreeNode = { path: "", name: "", size: 0, files: 0, children: [] };
  const folders = new Map<string, TreeNode>([["", root]]);
  const folder = (path: string): TreeNode => {
    const known = folders.get(path);
    if (known) return known;
    const cut = path.lastIndexOf("/");
    const node: TreeNode = { path, name: path.slice(cut + 1), size: 0, files: 0, children: [] };
    folders.set(path, node);
    folder(cut < 0 ? "" : path.slice(0, cut)).children!.push(node);
    return node;
  };
  for (const file of files) {
    const cut = file.path.lastIndexOf("/");
    folder(cut < 0 ? "" : file.path.slice(0, cut)).children!.push({ ...file, name: file.path.slice(cut + 1), files: 0 });
  }
  sum(root);
  return root;
}

function sum(node: TreeNode): void {
  if (!node.children) return;
  for (const child of node.children) {
    sum(child);
    node.size += child.size;
    node.files += child.children ? child.files : 1;
  }
  node.children.sort((a, b) => Number(!a.children) - Number(!b.children) || a.name.localeCompare(b.name, "en", { numeric: true }));
}

/** The rows on screen, top to bottom; with a filter every folder that holds a match is open. */
export function rowsOf(root: TreeNode, isOpen: (node: TreeNode) => boolean, filter = ""): TreeRow[] {
  const wanted = filter.trim().toLowerCase();
  const rows: TreeRow[] = [];
  const walk = (node: TreeNode, depth: number): void => {
    for (const child of node.children ?? []) {
      if (wanted && !holds(child, wanted)) continue;
      const open = child.children !== undefined && (wanted !== "" || isOpen(child));
      rows.push({ node: child, depth, open });
      if (open) walk(child, depth + 1);
    }
  };
  walk(root, 0);
  return rows;
}

function holds(node: TreeNode, wanted: string): boolean {
  return node.children ? node.children.some((child) => holds(child, wanted)) : node.path.toLowerCase().includes(wanted);
}

"""What the tools of the Excel skill say, in three languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metier import ToolFailed

if TYPE_CHECKING:
    from metier.messages import Lang

_ENGLISH: dict[str, tuple[str, str, str]] = {
    "not-xlsx": ("this is not an Excel workbook", "{path}", "use an .xlsx file"),
    "old-xls": ("this is a workbook of the old .xls format", "{path}", "ask the user to save it as .xlsx"),
    "locked": ("the workbook is protected by a password", "{path}", "ask the user for a copy without one"),
    "corrupt": ("the workbook is damaged", "{path}", "ask the user to open and save it in Excel, then try again"),
    "bomb": ("the workbook unpacks to more than {limit}MB", "{path}", "split it first"),
    "unreadable": ("the system does not allow reading the file", "{path}", "tell the user"),
    "no-sheet": ("there is no such sheet", "{sheet}", "the sheets are: [{sheets}]"),
    "no-cells": ("the workbook has no sheet with cells", "", "use another file"),
    "range-form": ("this is not a range of cells", "{range}", "write it as A1:D20, B7, A:D or 5:20"),
    "range-outside": ("the range lies outside of the sheet ({most})", "", "excel_info tells the real size"),
    "no-rows": ("there are no rows to write", "", "give a JSON list of lists, or CSV text"),
    "rows-long": ("the rows are longer than {limit:,} characters", "{length:,}", "write several workbooks"),
    "rows-json": ("the rows begin like JSON and are none", "{reason}", "mend the JSON, or give CSV text"),
    "rows-shape": ("a row is neither a list nor an object", "row {row}", "make all rows lists, or all of them objects"),
    "rows-many": ("a sheet has at most {limit:,} rows", "{count:,}", "write several workbooks"),
    "columns-many": ("a row has at most {limit:,} cells", "row {row}", "use fewer columns"),
    "cell-type": ("a cell is neither text, number, true, false nor null", "{cell}", "write the value as text"),
    "cell-long": ("a cell has more than {limit:,} characters", "{cell}", "shorten the text"),
    "cell-control": ("a cell holds a character that Excel cannot store", "{cell}", "remove control characters"),
    "sheet-name": ("a sheet cannot have this name", "{sheet}", "use 1 to 31 characters, none of []:*?/\\"),
    "target": ("a workbook needs a name that ends in .xlsx", "{path}", "use a name such as report.xlsx"),
    "exists": ("there is a file already", "{path}", "use another name, or set overwrite to true"),
    "unwritable": ("the file cannot be written", "{path}", "use another folder, or tell the user"),
    # What is told where nothing went wrong: only the first of the three parts.
    "book": ("{path}: {sheets}", "", ""),
    "book-more": ("… and {count} more", "", ""),
    "sheet": ("- {sheet}: {range} (rows: {rows}, columns: {columns})", "", ""),
    "sheet-empty": ("- {sheet}: empty", "", ""),
    "sheet-chart": ("- {sheet}: a chart, no cells", "", ""),
    "hidden": (", hidden", "", ""),
    "most-rows": ("last row: {count}", "", ""),
    "most-columns": ("last column: {count}", "", ""),
    "empty": ("{sheet}: no cells are filled here", "", ""),
    "cut-rows": ("[more rows follow: read on with range {range}]", "", ""),
    "cut-columns": ("[row {row} has more columns: read on with range {range}]", "", ""),
    "cut-cell": ("[the text of {cell} is too long for one answer and was cut]", "", ""),
    "written": ("wrote {path}: sheet {sheet}, {range} (rows: {rows}, columns: {columns})", "", ""),
}

_SIMPLIFIED: dict[str, tuple[str, str, str]] = {
    "not-xlsx": ("这不是 Excel 工作簿", "{path}", "请使用 .xlsx 文件"),
    "old-xls": ("这是旧的 .xls 格式", "{path}", "请让用户另存为 .xlsx"),
    "locked": ("工作簿有密码保护", "{path}", "请让用户提供没有密码的副本"),
    "corrupt": ("工作簿已损坏", "{path}", "请让用户用 Excel 打开并重新保存，然后重试"),
    "bomb": ("工作簿解压后超过 {limit}MB 上限", "{path}", "请拆分后分批处理"),
    "unreadable": ("系统不允许读取该文件", "{path}", "请告知用户"),
    "no-sheet": ("Sheet 不存在", "{sheet}", "可用 sheet 列表: [{sheets}]"),
    "no-cells": ("工作簿中没有带单元格的工作表", "", "请使用其他文件"),
    "range-form": ("单元格区域格式不正确", "{range}", "请写成 A1:D20、B7、A:D 或 5:20"),
    "range-outside": ("单元格区域超出工作表范围 ({most})", "", "请用 excel_info 查询实际尺寸"),
    "no-rows": ("没有要写入的行", "", "请给出由列表组成的 JSON 列表，或 CSV 文本"),
    "rows-long": ("行数据超过 {limit:,} 个字符上限", "{length:,}", "请分成多个工作簿写入"),
    "rows-json": ("行数据以 [ 开头但不是有效的 JSON", "{reason}", "请修正 JSON，或改用 CSV 文本"),
    "rows-shape": ("有一行既不是列表也不是对象", "第 {row} 行", "请让所有行都是列表，或都是对象"),
    "rows-many": ("工作表最多 {limit:,} 行", "{count:,}", "请分成多个工作簿写入"),
    "columns-many": ("一行最多 {limit:,} 个单元格", "第 {row} 行", "请减少列数"),
    "cell-type": ("单元格的值不是文本、数字、true、false 或 null", "{cell}", "请把该值写成文本"),
    "cell-long": ("单元格超过 {limit:,} 个字符上限", "{cell}", "请缩短文本"),
    "cell-control": ("单元格含有 Excel 无法保存的字符", "{cell}", "请去掉控制字符"),
    "sheet-name": ("工作表名称无效", "{sheet}", "请用 1 到 31 个字符，且不含 []:*?/\\"),
    "target": ("工作簿的文件名必须以 .xlsx 结尾", "{path}", "请使用 report.xlsx 这样的文件名"),
    "exists": ("文件已存在", "{path}", "请换一个文件名，或将 overwrite 设为 true"),
    "unwritable": ("无法写入文件", "{path}", "请换一个目录，或告知用户"),
    "book": ("{path}: {sheets}", "", ""),
    "book-more": ("……另有 {count} 个", "", ""),
    "sheet": ("- {sheet}: {range}（{rows} 行，{columns} 列）", "", ""),
    "sheet-empty": ("- {sheet}: 空", "", ""),
    "sheet-chart": ("- {sheet}: 图表，没有单元格", "", ""),
    "hidden": ("，隐藏", "", ""),
    "most-rows": ("最大行: {count}", "", ""),
    "most-columns": ("最大列: {count}", "", ""),
    "empty": ("{sheet}: 这里没有内容", "", ""),
    "cut-rows": ("[后面还有更多行：请用区域 {range} 继续读取]", "", ""),
    "cut-columns": ("[第 {row} 行还有更多列：请用区域 {range} 继续读取]", "", ""),
    "cut-cell": ("[{cell} 的文本过长，已截断]", "", ""),
    "written": ("已写入 {path}: 工作表 {sheet}，{range}（{rows} 行，{columns} 列）", "", ""),
}

_TRADITIONAL: dict[str, tuple[str, str, str]] = {
    "not-xlsx": ("這不是 Excel 活頁簿", "{path}", "請使用 .xlsx 檔案"),
    "old-xls": ("這是舊的 .xls 格式", "{path}", "請讓使用者另存為 .xlsx"),
    "locked": ("活頁簿有密碼保護", "{path}", "請讓使用者提供沒有密碼的副本"),
    "corrupt": ("活頁簿已損毀", "{path}", "請讓使用者用 Excel 開啟並重新儲存，然後重試"),
    "bomb": ("活頁簿解壓縮後超過 {limit}MB 上限", "{path}", "請拆分後分批處理"),
    "unreadable": ("系統不允許讀取該檔案", "{path}", "請告知使用者"),
    "no-sheet": ("Sheet 不存在", "{sheet}", "可用 sheet 清單: [{sheets}]"),
    "no-cells": ("活頁簿中沒有帶儲存格的工作表", "", "請使用其他檔案"),
    "range-form": ("儲存格範圍格式不正確", "{range}", "請寫成 A1:D20、B7、A:D 或 5:20"),
    "range-outside": ("儲存格範圍超出工作表 ({most})", "", "請用 excel_info 查詢實際大小"),
    "no-rows": ("沒有要寫入的列", "", "請給出由清單組成的 JSON 清單，或 CSV 文字"),
    "rows-long": ("資料超過 {limit:,} 個字元上限", "{length:,}", "請分成多個活頁簿寫入"),
    "rows-json": ("資料以 [ 開頭但不是有效的 JSON", "{reason}", "請修正 JSON，或改用 CSV 文字"),
    "rows-shape": ("有一列既不是清單也不是物件", "第 {row} 列", "請讓所有列都是清單，或都是物件"),
    "rows-many": ("工作表最多 {limit:,} 列", "{count:,}", "請分成多個活頁簿寫入"),
    "columns-many": ("一列最多 {limit:,} 個儲存格", "第 {row} 列", "請減少欄數"),
    "cell-type": ("儲存格的值不是文字、數字、true、false 或 null", "{cell}", "請把該值寫成文字"),
    "cell-long": ("儲存格超過 {limit:,} 個字元上限", "{cell}", "請縮短文字"),
    "cell-control": ("儲存格含有 Excel 無法儲存的字元", "{cell}", "請去掉控制字元"),
    "sheet-name": ("工作表名稱無效", "{sheet}", "請用 1 到 31 個字元，且不含 []:*?/\\"),
    "target": ("活頁簿的檔名必須以 .xlsx 結尾", "{path}", "請使用 report.xlsx 這樣的檔名"),
    "exists": ("檔案已存在", "{path}", "請換一個檔名，或將 overwrite 設為 true"),
    "unwritable": ("無法寫入檔案", "{path}", "請換一個目錄，或告知使用者"),
    "book": ("{path}: {sheets}", "", ""),
    "book-more": ("……另有 {count} 個", "", ""),
    "sheet": ("- {sheet}: {range}（{rows} 列，{columns} 欄）", "", ""),
    "sheet-empty": ("- {sheet}: 空", "", ""),
    "sheet-chart": ("- {sheet}: 圖表，沒有儲存格", "", ""),
    "hidden": ("，隱藏", "", ""),
    "most-rows": ("最大列: {count}", "", ""),
    "most-columns": ("最大欄: {count}", "", ""),
    "empty": ("{sheet}: 這裡沒有內容", "", ""),
    "cut-rows": ("[後面還有更多列：請用範圍 {range} 繼續讀取]", "", ""),
    "cut-columns": ("[第 {row} 列還有更多欄：請用範圍 {range} 繼續讀取]", "", ""),
    "cut-cell": ("[{cell} 的文字過長，已截斷]", "", ""),
    "written": ("已寫入 {path}: 工作表 {sheet}，{range}（{rows} 列，{columns} 欄）", "", ""),
}

TEXTS = {"en": _ENGLISH, "zh-Hans": _SIMPLIFIED, "zh-Hant": _TRADITIONAL}

MAX_SHOWN = 100
"""Characters of a value that an error repeats."""


def failure(key: str, lang: Lang, **values: object) -> ToolFailed:
    """An error for the model: what is wrong, with what, what to do next."""
    short = {name: _short(value) if name != "sheets" else value for name, value in values.items()}
    return ToolFailed(*(part.format_map(short) for part in TEXTS[lang][key]))


def told(key: str, lang: Lang, **values: object) -> str:
    """A sentence for the model where nothing went wrong."""
    return TEXTS[lang][key][0].format_map(values)


def _short(value: object) -> object:
    if not isinstance(value, str):
        return value
    line = " ".join(value.split())
    return line if len(line) <= MAX_SHOWN else line[:MAX_SHOWN] + "…"

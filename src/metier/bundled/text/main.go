// Compares two text files: one JSON line in, one JSON line out.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

const (
	maxBytes  = 5 * 1024 * 1024
	maxEdits  = 20_000
	maxOutput = 100_000
)

type request struct {
	ID        json.RawMessage `json:"id,omitempty"`
	Arguments map[string]any  `json:"arguments"`
}

type response struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Output string          `json:"output"`
	Error  string          `json:"error"`
}

// refused is an error that the model can do something about.
type refused struct{ text string }

func (r refused) Error() string { return r.text }

func refuse(problem, value, step string) error {
	return refused{fmt.Sprintf("%s: %s — %s", problem, value, step)}
}

func linesOf(name string) ([]string, error) {
	if name == "" {
		return nil, refused{"a path is empty — name a file of the workspace"}
	}
	workspace, err := filepath.EvalSymlinks(os.Getenv("METIER_WORKSPACE"))
	if err != nil {
		return nil, refuse("there is no workspace", os.Getenv("METIER_WORKSPACE"), "start the tool in a project")
	}
	real, err := filepath.EvalSymlinks(filepath.Join(workspace, filepath.FromSlash(name)))
	if err != nil {
		return nil, refuse("there is no such file", name, "check its name and folder")
	}
	inside, err := filepath.Rel(workspace, real)
	if err != nil || inside == ".." || strings.HasPrefix(inside, ".."+string(filepath.Separator)) || filepath.IsAbs(name) {
		return nil, refuse("the path leads out of the workspace", name, "use one inside it")
	}
	status, err := os.Stat(real)
	if err != nil || !status.Mode().IsRegular() {
		return nil, refuse("this is not a file", name, "name a text file")
	}
	if status.Size() > maxBytes {
		return nil, refuse("the file is larger than 5 MB", name, "split it, or compare a part of it")
	}
	data, err := os.ReadFile(real)
	if err != nil {
		return nil, refuse("the file cannot be read", name, "check its permissions")
	}
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return nil, refuse("this is not text in UTF-8", name, "convert it first")
	}
	if len(data) == 0 {
		return nil, nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"), nil
}

type edit struct {
	kind byte // ' ', '-' or '+'
	text string
}

// diff finds the shortest way from one text to the other (E. Myers, 1986).
func diff(old, new []string) ([]edit, error) {
	start := 0
	for start < len(old) && start < len(new) && old[start] == new[start] {
		start++
	}
	end := 0
	for end < len(old)-start && end < len(new)-start && old[len(old)-1-end] == new[len(new)-1-end] {
		end++
	}
	middle, err := shortest(old[start:len(old)-end], new[start:len(new)-end])
	if err != nil {
		return nil, err
	}
	edits := make([]edit, 0, len(old)+len(new))
	for _, line := range old[:start] {
		edits = append(edits, edit{' ', line})
	}
	edits = append(edits, middle...)
	for _, line := range old[len(old)-end:] {
		edits = append(edits, edit{' ', line})
	}
	return edits, nil
}

func shortest(old, new []string) ([]edit, error) {
	most := len(old) + len(new)
	reached := map[int]int{1: 0}
	var trace []map[int]int
	work := 0
	for depth := 0; depth <= most; depth++ {
		if work += depth; work > maxEdits*200 {
			return nil, refused{"the files differ in too many lines — compare parts of them"}
		}
		kept := make(map[int]int, 2*depth+1)
		for key, value := range reached {
			if key >= -depth-1 && key <= depth+1 {
				kept[key] = value
			}
		}
		trace = append(trace, kept)
		for k := -depth; k <= depth; k += 2 {
			x := reached[k-1] + 1
			if k == -depth || (k != depth && reached[k-1] < reached[k+1]) {
				x = reached[k+1]
			}
			y := x - k
			for x < len(old) && y < len(new) && old[x] == new[y] {
				x, y = x+1, y+1
			}
			reached[k] = x
			if x >= len(old) && y >= len(new) {
				return back(old, new, trace), nil
			}
		}
	}
	return nil, nil
}

func back(old, new []string, trace []map[int]int) []edit {
	var edits []edit
	x, y := len(old), len(new)
	for depth := len(trace) - 1; depth >= 0; depth-- {
		reached, k := trace[depth], x-y
		before := k - 1
		if k == -depth || (k != depth && reached[k-1] < reached[k+1]) {
			before = k + 1
		}
		px := reached[before]
		py := px - before
		for x > px && y > py && x > 0 && y > 0 {
			x, y = x-1, y-1
			edits = append(edits, edit{' ', old[x]})
		}
		if depth == 0 {
			break
		}
		if x == px {
			y--
			edits = append(edits, edit{'+', new[y]})
		} else {
			x--
			edits = append(edits, edit{'-', old[x]})
		}
	}
	for i, j := 0, len(edits)-1; i < j; i, j = i+1, j-1 {
		edits[i], edits[j] = edits[j], edits[i]
	}
	return edits
}

// unified writes the changes with some lines around each, as patch programs read them.
func unified(edits []edit, context int) string {
	var out strings.Builder
	for at := 0; at < len(edits); {
		for at < len(edits) && edits[at].kind == ' ' {
			at++
		}
		if at == len(edits) {
			break
		}
		first, last := at, at
		for next := at; next < len(edits) && next <= last+2*context+1; next++ {
			if edits[next].kind != ' ' {
				last = next
			}
		}
		first = max(0, first-context)
		stop := min(len(edits), last+context+1)
		oldAt, newAt := 1, 1
		for _, one := range edits[:first] {
			if one.kind != '+' {
				oldAt++
			}
			if one.kind != '-' {
				newAt++
			}
		}
		oldLines, newLines := 0, 0
		for _, one := range edits[first:stop] {
			if one.kind != '+' {
				oldLines++
			}
			if one.kind != '-' {
				newLines++
			}
		}
		// Where nothing is left of a side, its number is that of the line before.
		if oldLines == 0 {
			oldAt--
		}
		if newLines == 0 {
			newAt--
		}
		fmt.Fprintf(&out, "@@ -%d,%d +%d,%d @@\n", oldAt, oldLines, newAt, newLines)
		for _, one := range edits[first:stop] {
			out.WriteByte(one.kind)
			out.WriteString(one.text)
			out.WriteByte('\n')
		}
		at = stop
	}
	return out.String()
}

func max(a, b int) int {
	if a > b {
		return a
	}
	return b
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func run(arguments map[string]any) (string, error) {
	oldName, _ := arguments["old"].(string)
	newName, _ := arguments["new"].(string)
	context := 3
	if given, ok := arguments["context"].(float64); ok {
		context = int(given)
	}
	if context < 0 || context > 100 {
		return "", refuse("the context is out of range", fmt.Sprint(context), "give 0 to 100")
	}
	old, err := linesOf(oldName)
	if err != nil {
		return "", err
	}
	new, err := linesOf(newName)
	if err != nil {
		return "", err
	}
	edits, err := diff(old, new)
	if err != nil {
		return "", err
	}
	added, removed := 0, 0
	for _, one := range edits {
		switch one.kind {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	if added+removed == 0 {
		return fmt.Sprintf("The files are the same, %d lines.", len(old)), nil
	}
	text := fmt.Sprintf("%d lines added, %d removed.\n--- %s\n+++ %s\n", added, removed, oldName, newName)
	text += unified(edits, context)
	if len(text) > maxOutput {
		cut := strings.LastIndexByte(text[:maxOutput], '\n')
		text = text[:cut+1] + "… cut here; compare parts of the files, or set context to 0"
	}
	return strings.TrimSuffix(text, "\n"), nil
}

func answer(line []byte) (reply response) {
	var asked request
	defer func() {
		if trouble := recover(); trouble != nil {
			fmt.Fprintln(os.Stderr, trouble)
			reply.Output, reply.Error = "", "the tool has a defect: text_diff — tell the user"
		}
	}()
	if err := json.Unmarshal(line, &asked); err != nil {
		return response{Error: "the request cannot be read: text_diff — send one JSON object in one line"}
	}
	reply.ID = asked.ID
	output, err := run(asked.Arguments)
	if err != nil {
		reply.Error = err.Error()
		return reply
	}
	reply.Output = output
	return reply
}

func main() {
	// Not a Scanner: that gives up at lines of 64 KiB.
	reader := bufio.NewReader(os.Stdin)
	writer := json.NewEncoder(os.Stdout)
	writer.SetEscapeHTML(false)
	for {
		line, err := reader.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			writer.Encode(answer(line))
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			os.Exit(1)
		}
	}
}

module textdiff

go 1.19

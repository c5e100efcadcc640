three
end
